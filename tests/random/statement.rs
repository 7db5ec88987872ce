//! Statements; `depth` bounds their nesting.

use super::{ATOMICS, INPUT_WORDS, Kind, Variable, Writer};

impl Writer {
    /// A variable with a first value, in scope from here on.
    pub fn declare(&mut self, kind: Kind) {
        let value = match kind {
            Kind::U32 => format!("input[{}u]", self.below(INPUT_WORDS as u32)),
            Kind::I32 => format!("bitcast<i32>(input[{}u])", self.below(INPUT_WORDS as u32)),
            Kind::Bool => self.boolean(1),
            Kind::Vector => self.vector(1),
            Kind::Array => format!("array<u32, 4>({}, 1u, {}, 3u)", self.unsigned(0), self.unsigned(1)),
            Kind::Struct => format!(
                "Pair({}, vec3<i32>({}, 5i, {}), array<u32, 3>({}, 9u, {}))",
                self.unsigned(0),
                self.signed(0),
                self.signed(1),
                self.unsigned(0),
                self.unsigned(0)
            ),
        };
        let name = self.fresh("v");
        self.line(&format!("var {name}: {} = {value};", kind.wgsl()));
        self.variables.push(Variable { name, kind, writable: true });
    }

    /// Statements in a scope of their own.
    fn block(&mut self, depth: u32) {
        let known = self.variables.len();
        for _ in 0..=self.below(3) {
            self.statement(depth);
        }
        self.variables.truncate(known);
    }

    pub fn statement(&mut self, depth: u32) {
        if depth == 0 {
            return self.assignment();
        }
        let d = depth - 1;
        match self.below(12) {
            0 | 1 => {
                let condition = self.boolean(2);
                self.open(&format!("if {condition} {{"));
                self.block(d);
                self.close();
            }
            2 => {
                let condition = self.boolean(2);
                self.open(&format!("if {condition} {{"));
                self.block(d);
                self.indent -= 1;
                let condition = self.boolean(1);
                self.open(&format!("}} else if {condition} {{"));
                self.block(d);
                self.indent -= 1;
                self.open("} else {");
                self.block(d);
                self.close();
            }
            3 => self.for_loop(d),
            4 => self.bare_loop(d),
            5 => self.switch(d),
            6 if self.loops > 0 => {
                let (condition, jump) = (self.boolean(1), self.pick(&["break", "continue"]));
                self.line(&format!("if {condition} {{ {jump}; }}"));
            }
            7 => {
                let kind = Kind::ALL[self.below(Kind::ALL.len() as u32) as usize];
                self.declare(kind);
            }
            8 if self.in_main => {
                let (index, value) = (self.below(6), self.unsigned(2));
                let (op, of) = (ATOMICS[index as usize], self.pick(&["counts", "totals"]));
                self.line(&format!("{op}(&{of}[{index}], {value});"));
            }
            _ => self.assignment(),
        }
    }

    fn for_loop(&mut self, depth: u32) {
        let (name, known) = (self.fresh("i"), self.variables.len());
        let bound = self.unsigned(1);
        self.open(&format!("for (var {name} = 0u; {name} < ({bound} & 3u) + 1u; {name}++) {{"));
        self.variables.push(Variable { name, kind: Kind::U32, writable: false });
        self.loops += 1;
        self.block(depth);
        self.loops -= 1;
        self.close();
        self.variables.truncate(known);
    }

    /// `loop` with a `continuing` block and `break if`.
    fn bare_loop(&mut self, depth: u32) {
        let (name, known) = (self.fresh("i"), self.variables.len());
        self.line(&format!("var {name} = 0u;"));
        self.variables.push(Variable { name: name.clone(), kind: Kind::U32, writable: false });
        self.open("loop {");
        self.loops += 1;
        self.block(depth);
        self.loops -= 1;
        self.open("continuing {");
        self.line(&format!("{name} += 1u;"));
        let condition = self.boolean(1);
        self.line(&format!("break if {name} >= 4u || {condition};"));
        self.close();
        self.close();
        self.variables.truncate(known);
    }

    fn switch(&mut self, depth: u32) {
        let selector = self.unsigned(1);
        self.open(&format!("switch {selector} % 5u {{"));
        // `continue` leaves the loop around the switch, `break` the switch itself
        for label in ["case 0u", "case 1u, 3u", "default"] {
            self.open(&format!("{label}: {{"));
            self.block(depth);
            self.close();
        }
        self.close();
    }

    fn assignment(&mut self) {
        let kind = Kind::ALL[self.below(Kind::ALL.len() as u32) as usize];
        let Some(name) = self.variable(kind, true) else { return };
        let text = match kind {
            Kind::U32 => match self.below(3) {
                0 => format!("{name} {} {};", self.pick(&["+=", "^=", "*=", "|="]), self.unsigned(2)),
                1 => format!("{name}{};", self.pick(&["++", "--"])),
                _ => format!("{name} = {};", self.unsigned(3)),
            },
            Kind::I32 => format!("{name} {} {};", self.pick(&["=", "+=", "-=", "*="]), self.signed(3)),
            Kind::Bool => format!("{name} = {};", self.boolean(3)),
            Kind::Vector => match self.below(3) {
                0 => format!("{name}.{} = {};", self.pick(&["x", "y", "z"]), self.unsigned(2)),
                1 => format!("{name}[{} % 3u] = {};", self.unsigned(0), self.unsigned(1)),
                _ => format!("{name} = {};", self.vector(2)),
            },
            Kind::Array => format!("{name}[{} & 3u] = {};", self.unsigned(1), self.unsigned(2)),
            Kind::Struct => match self.below(3) {
                0 => format!("{name}.first = {};", self.unsigned(2)),
                1 => format!("{name}.second.{} = {};", self.pick(&["x", "y", "z"]), self.signed(2)),
                _ => format!("{name}.third[{} % 3u] = {};", self.unsigned(0), self.unsigned(1)),
            },
        };
        self.line(&text);
    }

    /// Lanes hand each other values through workgroup memory, in uniform control flow.
    pub fn exchange(&mut self) {
        let lanes = self.lanes;
        let Some(to) = self.variable(Kind::U32, true) else { return };
        let repeated = self.below(3) == 0;
        if repeated {
            let name = self.fresh("i");
            self.open(&format!("for (var {name} = 0u; {name} < 3u; {name}++) {{"));
        }
        let (value, step) = (self.unsigned(2), self.below(lanes.max(2)));
        self.line(&format!("tile[lane] = {value};"));
        self.line("workgroupBarrier();");
        self.line(&format!("{to} = tile[(lane + {step}u) % {lanes}u];"));
        if self.below(2) == 0 {
            let index = self.below(6);
            self.line(&format!("{to} ^= atomicLoad(&totals[{index}]);"));
        }
        self.line("workgroupBarrier();");
        if repeated {
            self.close();
        }
    }
}
