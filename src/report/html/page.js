'use strict';
(function () {
  const $$ = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  document.documentElement.classList.add('js');

  // Tables: a click on a heading sorts, a second one the other way; cells without a value come last.
  const key = (row, index) => {
    const cell = row.cells[index];
    if (!cell) return null;
    return cell.dataset.v !== undefined ? Number(cell.dataset.v) : cell.classList.contains('n') ? null : cell.textContent;
  };
  const compare = (a, b) => typeof a === 'number' ? a - b : a.localeCompare(b, 'en', { numeric: true });
  $$('table.sortable thead button').forEach(button => button.addEventListener('click', () => {
    const th = button.closest('th'), body = th.closest('table').tBodies[0];
    const up = th.getAttribute('aria-sort') === 'none' ? !th.classList.contains('n') : th.getAttribute('aria-sort') === 'descending';
    $$('th[aria-sort]', th.parentNode).forEach(other => other.setAttribute('aria-sort', 'none'));
    th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    const rows = Array.from(body.rows, row => [row.classList.contains('missing') ? null : key(row, th.cellIndex), row]);
    rows.sort(([a], [b]) => a === null || b === null ? (a === null) - (b === null) : up ? compare(a, b) : compare(b, a));
    rows.forEach(([, row]) => body.append(row));
  }));

  // Tables: a case's id, which is in its anchor after the device, shows beside its words.
  $$('.cases tbody tr').forEach(row => { row.cells[0].title = row.id.replace(/^[^/]*\//, ''); });

  // Tables: rows that hold every word of the filter, in a cell or in the case id.
  $$('.filter input').forEach(input => input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = $$('tbody tr', input.closest('details'));
    rows.forEach(row => {
      const cells = Array.from(row.cells, cell => cell.textContent).concat(row.id);
      const text = cells.join(' ').toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
    });
    const shown = rows.filter(row => !row.hidden).length;
    input.closest('.filter').querySelector('output').textContent = words.length ? `${shown} of ${rows.length}` : '';
  }));

  // Charts: a tip beside the point under the pointer, or the one that the arrow keys have reached.
  const tip = document.getElementById('tip');
  let at = null;
  const show = spot => {
    if (at) at.classList.remove('at');
    at = spot;
    tip.hidden = !spot;
    if (!spot) return;
    spot.classList.add('at');
    tip.textContent = spot.dataset.tip;
    const box = spot.getBoundingClientRect(), room = document.documentElement.clientWidth - tip.offsetWidth - 8;
    tip.style.left = `${scrollX + Math.max(8, Math.min(box.left + box.width / 2 - tip.offsetWidth / 2, room))}px`;
    tip.style.top = `${scrollY + (box.top > tip.offsetHeight + 10 ? box.top - tip.offsetHeight - 6 : box.bottom + 6)}px`;
  };
  $$('.plot').forEach(plot => {
    // The browser's own tip would cover this one.
    $$('.spots a', plot).forEach(spot => {
      spot.dataset.tip = spot.textContent;
      spot.setAttribute('aria-label', spot.dataset.tip);
      $$('title', spot).forEach(title => title.remove());
    });
    plot.addEventListener('pointerover', event => show(event.target.closest('.spots a')));
    plot.addEventListener('pointerleave', () => show(null));
    plot.addEventListener('blur', () => show(null));
    plot.addEventListener('keydown', event => {
      if (event.key === 'Escape') return show(null);
      if (event.key === 'Enter' && at) location.hash = at.getAttribute('href');
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const spots = $$('.spots a', plot).filter(spot => getComputedStyle(spot).display !== 'none');
      if (!spots.length) return;
      const next = spots.indexOf(at) + step;
      show(spots[Math.min(Math.max(next, 0), spots.length - 1)]);
      at.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      show(at);
    });
  });

  // A link to a row switches to its device and opens its table.
  const reveal = () => {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const block = row && row.closest('.block');
    if (!block) return;
    const chosen = document.getElementById(`show-${block.dataset.device}`);
    if (chosen) chosen.checked = true;
    block.querySelector('details').open = true;
    row.hidden = false;
    row.scrollIntoView({ block: 'center' });
  };
  addEventListener('hashchange', reveal);
  reveal();
})();
