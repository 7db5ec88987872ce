//! Expressions by type; `depth` bounds their nesting.

use super::{INPUT_WORDS, Kind, Writer};

const COMPARISONS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];
const UNSIGNED: [&str; 9] = ["0u", "1u", "2u", "3u", "31u", "255u", "65537u", "2147483648u", "4294967295u"];
const SIGNED: [&str; 7] = ["0i", "1i", "-1i", "7i", "255i", "2147483647i", "-65536i"];

impl Writer {
    /// A u32 that is not a literal.
    pub fn unsigned(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.unsigned_leaf();
        }
        let d = depth - 1;
        let a = self.unsigned(d);
        match self.below(17) {
            0..3 => {
                let (op, b) = (self.pick(&["+", "-", "*", "&", "|", "^"]), self.unsigned_operand(d));
                format!("({a} {op} {b})")
            }
            3 => {
                let (op, b) = (self.pick(&["/", "%"]), self.unsigned(d));
                format!("({a} {op} {b})")
            }
            4 => {
                let (op, b) = (self.pick(&["<<", ">>"]), self.unsigned(d));
                format!("({a} {op} ({b} & 31u))")
            }
            5 => format!("(~{a})"),
            6 => {
                let (f, b) = (self.pick(&["min", "max"]), self.unsigned_operand(d));
                format!("{f}({a}, {b})")
            }
            7 => {
                let f = self.pick(&[
                    "countOneBits",
                    "countLeadingZeros",
                    "countTrailingZeros",
                    "reverseBits",
                    "firstLeadingBit",
                    "firstTrailingBit",
                ]);
                format!("{f}({a})")
            }
            8 => {
                let (b, c) = (self.unsigned_operand(d), self.boolean(d));
                format!("select({a}, {b}, {c})")
            }
            9 => {
                let (b, c) = (self.unsigned(0), self.unsigned(0));
                format!("extractBits({a}, {b} & 31u, {c} & 15u)")
            }
            10 => {
                let (b, c, e) = (self.unsigned(d), self.unsigned(0), self.unsigned(0));
                format!("insertBits({a}, {b}, {c} & 31u, {e} & 15u)")
            }
            11 => format!("bitcast<u32>({})", self.signed(d)),
            12 => format!("u32({})", self.boolean(d)),
            13 => format!("dot({}, {})", self.vector(d), self.vector(d)),
            14 => format!("u32(abs({}))", self.float(d).0),
            15 if self.functions > 0 => {
                let b = self.signed(d);
                match (self.variable(Kind::U32, true), self.below(self.functions)) {
                    (Some(to), f) if !to.contains('*') && to != "global" => format!("f{f}({a}, {b}, &{to})"),
                    _ => format!("u32({b})"),
                }
            }
            _ => format!("{}.{}", self.vector(d), self.pick(&["x", "y", "z"])),
        }
    }

    fn unsigned_leaf(&mut self) -> String {
        let name = self.variable(Kind::U32, false);
        match (self.below(6), name) {
            (0, Some(name)) => format!("input[{name} % {INPUT_WORDS}u]"),
            (1, Some(name)) => match self.variable(Kind::Array, false) {
                Some(array) => format!("{array}[{name} & 3u]"),
                None => name,
            },
            (2, Some(name)) => match self.variable(Kind::Struct, false) {
                Some(pair) => format!("{pair}.third[{name} % 3u]"),
                None => name,
            },
            (3, _) => match self.variable(Kind::Vector, false) {
                Some(vector) => format!("{vector}.y"),
                None => "input[3]".to_owned(),
            },
            (_, Some(name)) => name,
            (_, None) => "input[5]".to_owned(),
        }
    }

    /// The right-hand side of an operator, where a literal may stand.
    fn unsigned_operand(&mut self, depth: u32) -> String {
        if self.below(3) == 0 { self.pick(&UNSIGNED).to_owned() } else { self.unsigned(depth) }
    }

    /// An i32 that is not a literal.
    pub fn signed(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match (self.variable(Kind::I32, false), self.variable(Kind::Struct, false), self.below(3))
            {
                (_, Some(pair), 0) => format!("{pair}.second.z"),
                (Some(name), _, _) => name,
                _ => "i32(input[7])".to_owned(),
            };
        }
        let d = depth - 1;
        let a = self.signed(d);
        match self.below(12) {
            0..3 => {
                let (op, b) = (self.pick(&["+", "-", "*", "&", "|", "^"]), self.signed_operand(d));
                format!("({a} {op} {b})")
            }
            3 => {
                let (op, b) = (self.pick(&["/", "%"]), self.signed(d));
                format!("({a} {op} {b})")
            }
            4 => {
                let (op, b) = (self.pick(&["<<", ">>"]), self.unsigned(d));
                format!("({a} {op} ({b} & 31u))")
            }
            5 => format!("(-{a})"),
            6 => {
                let f = self.pick(&["abs", "sign", "firstLeadingBit", "countOneBits", "reverseBits"]);
                format!("{f}({a})")
            }
            7 => {
                let (f, b) = (self.pick(&["min", "max"]), self.signed_operand(d));
                format!("{f}({a}, {b})")
            }
            8 => {
                let (b, c) = (self.unsigned(0), self.unsigned(0));
                format!("extractBits({a}, {b} & 31u, {c} & 15u)")
            }
            9 => format!("i32({})", self.unsigned(d)),
            10 => format!("i32({})", self.float(d).0),
            _ => {
                let (b, c) = (self.signed_operand(d), self.boolean(d));
                format!("select({a}, {b}, {c})")
            }
        }
    }

    fn signed_operand(&mut self, depth: u32) -> String {
        if self.below(3) == 0 { self.pick(&SIGNED).to_owned() } else { self.signed(depth) }
    }

    /// A bool that is not a literal.
    pub fn boolean(&mut self, depth: u32) -> String {
        let d = depth.saturating_sub(1);
        let op = self.pick(&COMPARISONS);
        match self.below(if depth == 0 { 2 } else { 8 }) {
            0 => format!("({} {op} {})", self.unsigned(d), self.unsigned_operand(d)),
            1 => match self.variable(Kind::Bool, false) {
                Some(name) => name,
                None => format!("({} {op} {})", self.signed(d), self.signed_operand(d)),
            },
            2 => format!("({} {op} {})", self.signed(d), self.signed_operand(d)),
            3 => format!("(!{})", self.boolean(d)),
            4 => {
                let op = self.pick(&["&&", "||", "&", "|", "!=", "=="]);
                format!("({} {op} {})", self.boolean(d), self.boolean(d))
            }
            5 => {
                let f = self.pick(&["all", "any"]);
                format!("{f}({} {op} {})", self.vector(d), self.vector(d))
            }
            _ => {
                let ((a, _), (b, _)) = (self.float(d), self.float(d));
                format!("({a} {op} {b})")
            }
        }
    }

    /// A `vec3<u32>`.
    pub fn vector(&mut self, depth: u32) -> String {
        match (self.variable(Kind::Vector, false), self.below(5)) {
            (Some(name), 0) => format!("{name}.{}", self.pick(&["zyx", "xxz", "yzx"])),
            (Some(name), 1 | 2) => name,
            (Some(name), 3) if depth > 0 => {
                let (op, b) = (self.pick(&["+", "*", "^", "-"]), self.vector(depth - 1));
                format!("({name} {op} {b})")
            }
            _ => {
                let d = depth.saturating_sub(1);
                format!("vec3<u32>({}, {}, {})", self.unsigned(d), self.unsigned(d), self.unsigned(0))
            }
        }
    }

    /// A float that is an integer, and a bound on its magnitude below 2²⁴: every implementation agrees on
    /// it, fused or not.
    pub fn float(&mut self, depth: u32) -> (String, u32) {
        if depth == 0 {
            return match self.below(2) {
                0 => (format!("f32({} & 255u)", self.unsigned(0)), 255),
                _ => (format!("f32({} % 100i)", self.signed(0)), 99),
            };
        }
        let (a, bound) = self.float(depth - 1);
        let (b, other) = self.float(depth - 1);
        match self.below(7) {
            0 if bound + other < 1 << 24 => (format!("({a} + {b})"), bound + other),
            1 if bound + other < 1 << 24 => (format!("({a} - {b})"), bound + other),
            2 if u64::from(bound) * u64::from(other) < 1 << 24 => (format!("({a} * {b})"), bound * other),
            3 => (format!("{}({a}, {b})", self.pick(&["min", "max"])), bound.max(other)),
            4 => (format!("{}({a})", self.pick(&["abs", "floor", "ceil", "trunc", "round"])), bound),
            5 => (format!("select({a}, {b}, {})", self.boolean(0)), bound.max(other)),
            _ => (format!("(-{a})"), bound),
        }
    }
}
