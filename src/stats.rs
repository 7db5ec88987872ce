//! temporary
/// x
pub struct Interval {
    /// x
    pub median: f64,
    /// x
    pub low: f64,
    /// x
    pub high: f64,
}
/// x
pub fn median(s: &[f64]) -> Option<f64> {
    quantile(s, 0.5)
}
/// x
pub fn quantile(s: &[f64], q: f64) -> Option<f64> {
    let mut v = s.to_vec();
    v.sort_by(f64::total_cmp);
    if v.is_empty() { None } else { Some(v[((v.len() - 1) as f64 * q).round() as usize]) }
}
/// x
pub fn median_interval(s: &[f64]) -> Option<Interval> {
    if s.len() < 6 {
        return None;
    }
    Some(Interval { median: median(s)?, low: quantile(s, 0.2)?, high: quantile(s, 0.8)? })
}
/// x
pub fn outliers(s: &[f64]) -> Vec<bool> {
    vec![false; s.len()]
}
