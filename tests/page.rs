//! The page of `stridemark report` in a browser: what its controls, its script and its style do.

#[path = "common/browser.rs"]
mod browser;
mod common;

use std::path::PathBuf;

use browser::Browser;
use common::{Lab, runs_below};
use serde_json::{Value, json};

/// Two devices measured by script, and their page.
fn made(lab: &Lab) -> PathBuf {
    for script in [
        "name = \"First <b>device</b>\"\nbandwidth_gb_per_s = 400.0\n[[slower]]\ncase = \"*stride_bytes=128\"\nfactor = 8.0",
        "name = \"Second device\"\nkind = \"cpu\"\nbandwidth_gb_per_s = 20.0",
    ] {
        let finished = lab.run_fake(
            script,
            &["--no-charts", "--quick", "--filter", "stride/*", "--filter", "layout/*", "--filter", "bank/*"],
        );
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    }
    let mut args = vec!["report".to_owned()];
    args.extend(runs_below(&lab.out()).iter().map(|run| run.display().to_string()));
    args.extend(["--out".to_owned(), "page.html".to_owned()]);
    let finished = lab.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(0), ""), "{}", finished.stderr);
    lab.path().join("page.html")
}

/// The texts of a column in the table of strides, of the rows that are shown.
fn column(browser: &mut Browser, index: usize) -> Vec<String> {
    let texts = browser.evaluate(&format!(
        "Array.from(document.querySelectorAll('#pattern-stride .block table')[0].tBodies[0].rows)\
         .filter(row => !row.hidden).map(row => row.cells[{index}].textContent)"
    ));
    texts.as_array().expect("texts").iter().map(|text| text.as_str().unwrap_or_default().to_owned()).collect()
}

fn shown(browser: &mut Browser, selector: &str) -> Value {
    browser.evaluate(&format!(
        "Array.from(document.querySelectorAll({})).filter(e => e.getClientRects().length > 0).length",
        json!(selector)
    ))
}

#[test]
fn the_page_works_in_a_browser() {
    let Some(mut browser) = Browser::start() else { return };
    let lab = Lab::new();
    let file = made(&lab);
    browser.resize(1280, 900);
    browser.medium("", "light");
    browser.open(&file, "");

    sorts(&mut browser);
    filters(&mut browser);
    switches_devices(&mut browser);
    tells_points(&mut browser);
    browser.open(&file, "#d1/stride/op=read/type=u32/stride_bytes=128");
    follows_links(&mut browser);
    changes_colours(&mut browser);
    for width in [360, 768, 1280, 1920] {
        browser.resize(width, 800);
        assert_eq!(
            browser.evaluate("document.documentElement.scrollWidth"),
            json!(width),
            "nothing hangs over"
        );
        let cut = "Array.from(document.querySelectorAll('.bars .plot')).filter(plot => plot.scrollWidth > plot.clientWidth + 1).length";
        assert_eq!(browser.evaluate(cut), json!(0), "bars are seen whole at {width} pixels");
    }
    prints(&mut browser);
    assert_eq!(browser.complaints(), Vec::<&Value>::new());

    browser.medium("", "light");
    browser.scripts(false);
    browser.open(&file, "#d1/stride/op=read/type=u32/stride_bytes=128");
    reads_without_scripts(&mut browser);
}

fn sorts(browser: &mut Browser) {
    browser.evaluate("document.querySelectorAll('.block details').forEach(details => details.open = true)");
    let before = column(browser, 0);
    let heading = "document.querySelectorAll('#pattern-stride .block thead th')[1]";
    for (order, falls) in [("descending", true), ("ascending", false)] {
        browser.evaluate(&format!("{heading}.firstElementChild.focus()"));
        browser.evaluate(&format!("{heading}.firstElementChild.click()"));
        assert_eq!(browser.evaluate(&format!("{heading}.getAttribute('aria-sort')")), json!(order));
        let figures: Vec<f64> = column(browser, 1).iter().filter_map(|text| text.parse().ok()).collect();
        assert!(figures.len() > 3);
        assert!(
            figures.windows(2).all(|pair| if falls { pair[0] >= pair[1] } else { pair[0] <= pair[1] }),
            "{figures:?}"
        );
    }
    let mut after = column(browser, 0);
    assert_ne!(before, after);
    after.sort();
    let mut before = before;
    before.sort();
    assert_eq!(before, after, "no row is lost");
}

fn filters(browser: &mut Browser) {
    let all = column(browser, 0).len();
    let input = "document.querySelector('#pattern-stride .block .filter input')";
    let mut enter = |text: &str| {
        browser
            .evaluate(&format!("{input}.value = {}; {input}.dispatchEvent(new Event('input'))", json!(text)));
        let said =
            browser.evaluate(&format!("{input}.closest('.filter').querySelector('output').textContent"));
        (column(browser, 0), said)
    };
    let (kept, said) = enter("READ  128");
    assert!(
        !kept.is_empty() && kept.len() < all && kept.iter().all(|case| case.contains("read")),
        "{kept:?}"
    );
    assert_eq!(said, json!(format!("{} of {all}", kept.len())));
    let (by_id, _) = enter("stride_bytes=128");
    assert!(!by_id.is_empty() && by_id.len() < all, "{by_id:?}");
    assert_eq!(enter("no such case").0.len(), 0);
    assert_eq!(enter("").0.len(), all);
}

fn switches_devices(browser: &mut Browser) {
    let blocks = |browser: &mut Browser| {
        [0, 1].map(|device| shown(browser, &format!(".block[data-device=d{device}]")))
    };
    let [first, second] = blocks(browser);
    assert!(first.as_u64() > Some(0) && second == json!(0));
    browser.evaluate("document.getElementById('show-d1').click()");
    let [first, second] = blocks(browser);
    assert!(first == json!(0) && second.as_u64() > Some(0));

    assert_ne!(shown(browser, ".compare [data-layer=d0]"), json!(0));
    browser.evaluate("document.getElementById('compare-d0').click()");
    assert_eq!(shown(browser, "[data-layer=d0]"), json!(0));
    assert_ne!(shown(browser, ".compare [data-layer=d1]"), json!(0));
    browser.evaluate("document.getElementById('compare-d0').click()");

    assert_eq!(shown(browser, ".compare.absolute"), json!(0));
    let fractions = shown(browser, ".compare.fraction");
    browser.evaluate("document.getElementById('as-absolute').click()");
    assert_eq!(
        (shown(browser, ".compare.absolute"), shown(browser, ".compare.fraction")),
        (fractions, json!(0))
    );
}

fn tells_points(browser: &mut Browser) {
    browser.evaluate("document.getElementById('show-d0').click()");
    assert_eq!(browser.evaluate("document.getElementById('tip').hidden"), json!(true));
    browser.point_at("#pattern-stride .block .spots a rect");
    let pointed = browser.evaluate("document.getElementById('tip').textContent");
    let name = browser.evaluate("document.querySelector('.spots a.at').getAttribute('aria-label')");
    assert_eq!(name, pointed, "a point is named for screen readers too");
    assert!(pointed.as_str().is_some_and(|tip| tip.contains("GB/s")), "{pointed}");
    browser.evaluate("document.querySelector('#pattern-stride .block .plot').focus()");
    let mut tips = Vec::new();
    for key in ["ArrowRight", "ArrowRight", "ArrowLeft"] {
        browser.press(key);
        tips.push(browser.evaluate("document.getElementById('tip').textContent"));
    }
    assert!(tips[0] != tips[1] && tips[0] == tips[2], "{tips:?}");
    browser.press("Enter");
    let hash = browser.evaluate("decodeURIComponent(location.hash)");
    assert!(hash.as_str().is_some_and(|hash| hash.starts_with("#d0/stride/")), "{hash}");
    browser.press("Escape");
    assert_eq!(browser.evaluate("document.getElementById('tip').hidden"), json!(true));
}

fn follows_links(browser: &mut Browser) {
    assert_eq!(browser.evaluate("document.getElementById('show-d1').checked"), json!(true));
    let row = browser.evaluate("document.querySelector('tr:target').getClientRects().length");
    assert_eq!(row, json!(1), "the row that the link names is shown");
}

/// How bright a colour is, from 0 to 255.
fn brightness(browser: &mut Browser, selector: &str, property: &str) -> f64 {
    let colour = browser.evaluate(&format!(
        "getComputedStyle(document.querySelector({})).getPropertyValue({}).match(/[0-9.]+/g).slice(0, 3).map(Number)",
        json!(selector),
        json!(property)
    ));
    colour.as_array().expect("three numbers").iter().filter_map(Value::as_f64).sum::<f64>() / 3.0
}

fn changes_colours(browser: &mut Browser) {
    let both = |browser: &mut Browser| {
        let page = (brightness(browser, "body", "background-color"), brightness(browser, "body", "color"));
        let ink = ".plot text[fill=\"#202020\"]";
        (page, (brightness(browser, ".plot [fill=\"#FFFFFF\"]", "fill"), brightness(browser, ink, "fill")))
    };
    let (page, chart) = both(browser);
    assert!([page, chart].iter().all(|(paper, ink)| *paper > 200.0 && *ink < 80.0), "{page:?} {chart:?}");
    browser.medium("", "dark");
    let (page, chart) = both(browser);
    assert!([page, chart].iter().all(|(paper, ink)| *paper < 80.0 && *ink > 200.0), "{page:?} {chart:?}");
    let rim = brightness(browser, ".picture g[stroke=\"#FFFFFF\"]", "stroke");
    assert!(rim < 80.0, "the rim of a picture's text has the colour of the ground: {rim}");
}

fn prints(browser: &mut Browser) {
    browser.medium("print", "dark");
    assert_eq!(shown(browser, "nav, .controls, .filter"), json!(0));
    let paper = browser.evaluate("getComputedStyle(document.body).backgroundColor");
    assert_eq!(paper, json!("rgb(255, 255, 255)"));
}

/// The row that a link names shows without any script, and the tables and controls that need none.
fn reads_without_scripts(browser: &mut Browser) {
    // The protocol still evaluates; only the page's own script is off.
    assert_eq!(browser.evaluate("document.documentElement.classList.contains('js')"), json!(false));
    assert_eq!(shown(browser, "tr:target"), json!(1));
    assert_eq!(shown(browser, ".filter"), json!(0));
    browser.evaluate("document.getElementById('compare-d0').click()");
    assert_eq!(shown(browser, "[data-layer=d0]"), json!(0));
}
