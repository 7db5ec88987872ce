//! Colours, markers and dashes that stay apart in print and for the colour-blind.

/// Red, green, blue.
pub(super) type Colour = (u8, u8, u8);

/// Text and axes.
pub(super) const INK: Colour = (0x20, 0x20, 0x20);
/// Secondary text.
pub(super) const MUTED: Colour = (0x55, 0x55, 0x55);
/// Grid lines.
pub(super) const GRID: Colour = (0xdd, 0xdd, 0xdd);
/// The ground of a chart.
pub(super) const PAPER: Colour = (0xff, 0xff, 0xff);
/// Cautions.
pub(super) const CAUTION: Colour = (0xb0, 0x3a, 0x00);

/// The palette of Okabe and Ito ("Color Universal Design", 2008), without its yellow, which is too faint
/// on paper.
pub(super) const PALETTE: [Colour; 7] = [
    (0x00, 0x72, 0xb2),
    (0xd5, 0x5e, 0x00),
    (0x00, 0x9e, 0x73),
    (0xcc, 0x79, 0xa7),
    (0xe6, 0x9f, 0x00),
    (0x56, 0xb4, 0xe9),
    (0x00, 0x00, 0x00),
];

/// The shape of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// ●
    Circle,
    /// ■
    Square,
    /// ▲
    Triangle,
    /// ◆
    Diamond,
    /// ▼
    Down,
}

const MARKERS: [Marker; 5] =
    [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Down];

/// Dash and gap in pixels.
pub(super) type Dash = (f64, f64);

/// The look of a series: colour and marker repeat with periods that have no common divisor, so 35 series
/// differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    /// Line and fill.
    pub(super) colour: Colour,
    /// Points.
    pub(super) marker: Marker,
}

impl Style {
    /// Half the size of a point.
    pub(super) const RADIUS: f64 = 5.0;
    /// Half the size of a point beside the line.
    pub(super) const RADIUS_APART: f64 = 3.0;
    /// The line of the roof.
    pub(super) const ROOF: Dash = (12.0, 4.0);
}

/// The look of the series of that number.
pub(super) fn style(index: usize) -> Style {
    Style { colour: PALETTE[index % PALETTE.len()], marker: MARKERS[index % MARKERS.len()] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_five_series_look_different() {
        for a in 0..35 {
            for b in 0..a {
                assert_ne!(style(a), style(b), "{a} and {b}");
            }
        }
    }
}
