//! Random kernels that are valid, defined and the same on every implementation: no race, no undefined
//! value, integers anywhere, floats only where every intermediate result is an exact integer below 2²⁴.
//!
//! Operands come from buffers and variables. A literal stands at most on the right of an operator, because
//! an expression of literals alone is evaluated by naga, which refuses what overflows.
#![allow(unreachable_pub, reason = "each test binary is a crate of its own")]

mod expression;
mod statement;

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// Words of `input`.
pub const INPUT_WORDS: u64 = 64;
/// Words that a lane stores.
const RESULTS: u32 = 4;
/// Initial words of `counts`: what the atomic operation of each index leaves unchanged.
pub const COUNTS: [u32; 6] = [0, 0, u32::MAX, 0, u32::MAX, 0];
/// The one operation on each index of `counts` and `totals`: their order does not matter.
const ATOMICS: [&str; 6] = ["atomicAdd", "atomicMax", "atomicMin", "atomicOr", "atomicAnd", "atomicXor"];

/// A kernel and how to run it.
pub struct Kernel {
    /// The text; bindings are `out`, `input` and `counts`.
    pub wgsl: String,
    /// Lanes of a workgroup.
    pub lanes: u32,
    /// Workgroups along x.
    pub groups: u32,
    /// Contents of `input`.
    pub input: Vec<u32>,
}

impl Kernel {
    /// Words of `out`.
    pub fn out_words(&self) -> u64 {
        u64::from(self.lanes * self.groups * RESULTS)
    }
}

/// A type that variables have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    U32,
    I32,
    Bool,
    /// `vec3<u32>`
    Vector,
    /// `array<u32, 4>`
    Array,
    /// `Pair`
    Struct,
}

impl Kind {
    const ALL: [Kind; 6] = [Kind::U32, Kind::I32, Kind::Bool, Kind::Vector, Kind::Array, Kind::Struct];

    fn wgsl(self) -> &'static str {
        match self {
            Kind::U32 => "u32",
            Kind::I32 => "i32",
            Kind::Bool => "bool",
            Kind::Vector => "vec3<u32>",
            Kind::Array => "array<u32, 4>",
            Kind::Struct => "Pair",
        }
    }
}

/// A variable in scope.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    kind: Kind,
    /// Loop counters are read and never written.
    writable: bool,
}

/// A kernel being written.
pub struct Writer {
    random: Pcg64Mcg,
    text: String,
    indent: usize,
    variables: Vec<Variable>,
    next: u32,
    /// Loops around the statement, inside of which `continue` and `break` are allowed.
    loops: u32,
    /// Functions that may be called.
    functions: u32,
    /// Whether the workgroup's variables may be used.
    in_main: bool,
    lanes: u32,
}

impl Writer {
    fn below(&mut self, n: u32) -> u32 {
        self.random.next_u32() % n
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u32) as usize]
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.text.push_str("    ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn open(&mut self, text: &str) {
        self.line(text);
        self.indent += 1;
    }

    fn close(&mut self) {
        self.indent -= 1;
        self.line("}");
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    /// A variable of a kind in scope.
    fn variable(&mut self, kind: Kind, writable: bool) -> Option<String> {
        let fits = |variable: &&Variable| variable.kind == kind && (variable.writable || !writable);
        let names: Vec<String> = self.variables.iter().filter(fits).map(|v| v.name.clone()).collect();
        (!names.is_empty()).then(|| names[self.below(names.len() as u32) as usize].clone())
    }

    fn function(&mut self) {
        let name = format!("f{}", self.functions);
        self.variables = vec![
            Variable { name: "global".into(), kind: Kind::U32, writable: true },
            Variable { name: "a".into(), kind: Kind::U32, writable: false },
            Variable { name: "b".into(), kind: Kind::I32, writable: false },
            Variable { name: "(*to)".into(), kind: Kind::U32, writable: true },
        ];
        self.open(&format!("fn {name}(a: u32, b: i32, to: ptr<function, u32>) -> u32 {{"));
        for kind in [Kind::U32, Kind::I32, Kind::Array] {
            self.declare(kind);
        }
        for _ in 0..2 {
            self.statement(2);
        }
        let condition = self.boolean(1);
        let value = self.unsigned(2);
        self.line(&format!("if {condition} {{ return {value}; }}"));
        self.statement(2);
        let value = self.unsigned(2);
        self.line(&format!("return {value};"));
        self.close();
        self.functions += 1;
    }

    fn main(&mut self) {
        self.in_main = true;
        self.variables = vec![
            Variable { name: "global".into(), kind: Kind::U32, writable: true },
            Variable { name: "lane".into(), kind: Kind::U32, writable: false },
            Variable { name: "group.x".into(), kind: Kind::U32, writable: false },
        ];
        let lanes = self.lanes;
        self.line(&format!("@compute @workgroup_size({lanes})"));
        self.open(
            "fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {",
        );
        for kind in Kind::ALL {
            self.declare(kind);
        }
        self.declare(Kind::U32);
        for _ in 0..3 {
            for _ in 0..=self.below(2) {
                self.statement(3);
            }
            self.exchange();
        }
        self.statement(3);
        for result in 0..RESULTS {
            let value = self.unsigned(3);
            self.line(&format!("out[(group.x * {lanes}u + lane) * {RESULTS}u + {result}u] = {value};"));
        }
        self.close();
    }
}

/// The kernel of a seed.
pub fn kernel(seed: u64) -> Kernel {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let lanes = [1, 7, 32, 33, 64][random.next_u32() as usize % 5];
    let groups = 1 + random.next_u32() % 3;
    let special = [0, 1, 2, 31, 32, 255, 0x7fff_ffff, 0x8000_0000, u32::MAX];
    let input = (0..INPUT_WORDS)
        .map(|_| match random.next_u32() % 3 {
            0 => special[random.next_u32() as usize % special.len()],
            1 => random.next_u32() % 100,
            _ => random.next_u32(),
        })
        .collect();
    let mut writer = Writer {
        random,
        text: String::new(),
        indent: 0,
        variables: Vec::new(),
        next: 0,
        loops: 0,
        functions: 0,
        in_main: false,
        lanes,
    };
    writer.line("@group(0) @binding(0) var<storage, read_write> out: array<u32>;");
    writer.line("@group(0) @binding(1) var<storage, read> input: array<u32>;");
    writer.line("@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 6>;");
    writer.line("struct Pair { first: u32, second: vec3<i32>, third: array<u32, 3> }");
    writer.line(&format!("var<workgroup> tile: array<u32, {lanes}>;"));
    writer.line("var<workgroup> totals: array<atomic<u32>, 6>;");
    writer.line("var<private> global: u32 = 7u;");
    writer.function();
    writer.function();
    writer.main();
    Kernel { wgsl: writer.text, lanes, groups, input }
}
