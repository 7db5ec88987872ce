//! What is known of this machine: the CPU's name, its caches, its memory.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The CPU's marketing name, where the system tells.
pub(super) fn name() -> Option<String> {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").ok();
    cpuinfo
        .as_deref()
        .and_then(model_name)
        .or_else(|| sysctl("machdep.cpu.brand_string"))
        .or_else(|| std::env::var("PROCESSOR_IDENTIFIER").ok())
}

/// Bytes of the last-level caches, all of them together: every core takes part in a dispatch.
pub(super) fn last_level_cache() -> Option<u64> {
    caches(Path::new("/sys/devices/system/cpu"))
        .or_else(|| ["hw.l3cachesize", "hw.l2cachesize"].iter().find_map(|key| sysctl(key)?.parse().ok()))
}

/// Bytes of memory.
pub(super) fn memory() -> Option<u64> {
    let meminfo = fs::read_to_string("/proc/meminfo").ok();
    let total = |text: &str| meminfo_bytes(text, "MemTotal:");
    meminfo.as_deref().and_then(total).or_else(|| sysctl("hw.memsize")?.parse().ok())
}

/// Bytes of memory that programs can still get without taking it from others; only Linux tells.
pub(super) fn available_memory() -> Option<u64> {
    meminfo_bytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// Whether the system backs memory with huge pages of so many bytes where a program asks for them, as far as it has
/// any; only Linux tells.
pub(super) fn gives_huge_pages(bytes: usize) -> bool {
    let read = |file| fs::read_to_string(Path::new("/sys/kernel/mm/transparent_hugepage").join(file)).ok();
    gives(read("enabled"), read("hpage_pmd_size"), bytes)
}

/// The same of what the two files hold; older systems have only the first.
fn gives(enabled: Option<String>, page: Option<String>, bytes: usize) -> bool {
    enabled.is_some_and(|modes| !modes.contains("[never]"))
        && page.is_none_or(|size| size.trim().parse() == Ok(bytes))
}

/// What macOS says of a key.
fn sysctl(key: &str) -> Option<String> {
    if !cfg!(target_os = "macos") {
        return None;
    }
    let output = Command::new("sysctl").args(["-n", key]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

fn model_name(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    let name = line.split_once(':')?.1.split_whitespace().collect::<Vec<_>>().join(" ");
    (!name.is_empty()).then_some(name)
}

/// A figure of Linux's `/proc/meminfo`.
fn meminfo_bytes(meminfo: &str, name: &str) -> Option<u64> {
    let line = meminfo.lines().find(|line| line.starts_with(name))?;
    Some(1024 * line.split_whitespace().nth(1)?.parse::<u64>().ok()?)
}

/// The sum of the caches of the highest level below a folder laid out as Linux's `/sys/devices/system/cpu`.
/// Cores that share a cache name the same list of sharers.
fn caches(cpus: &Path) -> Option<u64> {
    let mut found: BTreeMap<(u32, String), u64> = BTreeMap::new();
    for cpu in fs::read_dir(cpus).ok()?.flatten() {
        for cache in fs::read_dir(cpu.path().join("cache")).into_iter().flatten().flatten() {
            let read = |file| fs::read_to_string(cache.path().join(file)).ok();
            let text = |file| read(file).map(|text: String| text.trim().to_owned());
            let (Some(level), Some(size), Some(sharers)) =
                (text("level"), text("size"), text("shared_cpu_list"))
            else {
                continue;
            };
            if let (Ok(level), Some(bytes)) = (level.parse(), cache_bytes(&size)) {
                found.insert((level, sharers), bytes);
            }
        }
    }
    let (last, _) = found.last_key_value()?.0.clone();
    Some(found.iter().filter(|((level, _), _)| *level == last).map(|(_, bytes)| bytes).sum())
}

/// Linux writes `32768K`.
fn cache_bytes(size: &str) -> Option<u64> {
    match size.strip_suffix('K') {
        Some(kib) => Some(1024 * kib.parse::<u64>().ok()?),
        None => match size.strip_suffix('M') {
            Some(mib) => Some((1024 * 1024) * mib.parse::<u64>().ok()?),
            None => size.parse().ok(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sizes_are_read_as_linux_writes_them() {
        assert_eq!(
            model_name("processor\t: 0\nmodel name\t: Some  CPU @ 2.60GHz\n").as_deref(),
            Some("Some CPU @ 2.60GHz")
        );
        assert_eq!(model_name("processor\t: 0\nCPU part\t: 0xd0c\n"), None);
        let meminfo = "MemTotal:       1024 kB\nMemFree: 1 kB\nMemAvailable:    512 kB\n";
        assert_eq!(meminfo_bytes(meminfo, "MemTotal:"), Some(1 << 20));
        assert_eq!(meminfo_bytes(meminfo, "MemAvailable:"), Some(512 << 10));
        assert_eq!(meminfo_bytes("MemTotal: many kB", "MemTotal:"), None);
        assert_eq!(cache_bytes("32768K"), Some(32 << 20));
        assert_eq!(cache_bytes("2M"), Some(2 << 20));
        assert_eq!(cache_bytes("?"), None);
    }

    #[test]
    fn huge_pages_are_given_where_they_are_on_and_of_that_size() {
        let text = |text: &str| Some(text.to_owned());
        let (size, other) = (text("2097152\n"), text("33554432\n"));
        for (enabled, page, given) in [
            (text("always [madvise] never\n"), size.clone(), true),
            (text("[always] madvise never\n"), None, true),
            (text("always madvise [never]\n"), size.clone(), false),
            (text("[always] madvise never\n"), other, false),
            (None, size, false),
        ] {
            assert_eq!(gives(enabled, page, 2 << 20), given);
        }
    }

    #[test]
    fn shared_caches_count_once_and_separate_ones_add_up() {
        let folder = tempfile::tempdir().unwrap();
        for (cpu, sharers) in [(0, "0-1"), (1, "0-1"), (2, "2-3"), (3, "2-3")] {
            for (index, level, size) in [(0, "1", "32K"), (3, "3", "16384K")] {
                let cache = folder.path().join(format!("cpu{cpu}/cache/index{index}"));
                fs::create_dir_all(&cache).unwrap();
                let list = if level == "1" { cpu.to_string() } else { sharers.to_owned() };
                for (file, text) in [("level", level), ("size", size), ("shared_cpu_list", &list)] {
                    fs::write(cache.join(file), format!("{text}\n")).unwrap();
                }
            }
        }
        assert_eq!(caches(folder.path()), Some(32 << 20));
        assert_eq!(caches(&folder.path().join("none")), None);
        assert_eq!(caches(&folder.path().join("cpu0")), None);
    }
}
