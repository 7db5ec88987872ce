//! The frame around the statements: the entry point with its inputs and globals, functions with their
//! local variables.

use std::rc::Rc;

use naga::{
    AddressSpace, ArraySize, Binding as NagaBinding, BuiltIn, GlobalVariable, Handle, Span, TypeInner,
};

use super::super::error::ModelError;
use super::super::ir::{Block, Function as IrFunction, Input, Op, Reg};
use super::super::program::{Binding, Element, Program, WorkgroupVar};
use super::super::report::Space;
use super::place::{Place, PlaceType, Root};
use super::{Compiler, Frame, MAX_LANES, MAX_WORKGROUP_BYTES, Value};

impl<'a> Compiler<'a> {
    /// Compiles an entry point of the module.
    pub(super) fn entry_point(&mut self, index: usize) -> Result<Program, ModelError> {
        let module = self.module;
        let entry = &module.entry_points[index];
        let info = self.info.get_entry_point(index);
        let lanes = entry.workgroup_size.iter().map(|&n| u64::from(n)).product::<u64>();
        if lanes == 0 || lanes > MAX_LANES {
            return Err(self.too_large(
                Span::UNDEFINED,
                "the number of invocations of a workgroup",
                lanes,
                MAX_LANES,
            ));
        }
        self.lanes = lanes;
        for (handle, variable) in module.global_variables.iter() {
            if !info[handle].is_empty() {
                let value = self.global(handle, variable)?;
                self.globals.insert(handle, value);
            }
        }
        let mut arguments = Vec::new();
        for argument in &entry.function.arguments {
            let words = match &argument.binding {
                Some(binding) => self.inputs_of(binding, argument.ty)?,
                None => self.struct_inputs(argument.ty)?,
            };
            arguments.push(Value::Words(words.into()));
        }
        let (returned, before) = (self.mask(), self.mask());
        let mut frame = Frame::new(&entry.function, info, arguments, returned, 0);
        let body = self.function_body(&mut frame)?;
        let (writes, writes_after_return) = self.function_writes(&body);
        let at = self.location(Span::UNDEFINED);
        self.functions.push(IrFunction { body, before, returned, at, writes, writes_after_return });
        Ok(self.finish(entry.workgroup_size))
    }

    /// Takes the program out of the compiler, with accesses, sites and notes in source order.
    fn finish(&mut self, workgroup_size: [u32; 3]) -> Program {
        let mut order: Vec<usize> = (0..self.accesses.len()).collect();
        order.sort_by_key(|&i| (self.accesses[i].span.start, self.accesses[i].span.end, self.accesses[i].op));
        let mut position = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| position[old] = new);
        let mut functions = std::mem::take(&mut self.functions);
        functions.iter_mut().for_each(|function| renumber(&mut function.body, &position));
        self.notes.sort();
        Program {
            entry: functions.len() - 1,
            functions,
            workgroup_size,
            lane_registers: self.next_lane,
            uniform_registers: self.next_uniform,
            masks: self.next_mask,
            constants: self.constants.iter().map(|(&(word, _), &reg)| (reg, word)).collect(),
            assumed: self
                .constants
                .iter()
                .filter(|&(&(_, sources), _)| sources != 0)
                .map(|(&(_, sources), &reg)| (reg, sources))
                .collect(),
            sources: std::mem::take(&mut self.sources),
            initial: std::mem::take(&mut self.initial),
            inputs: std::mem::take(&mut self.inputs),
            accesses: order.iter().map(|&i| self.accesses[i].clone()).collect(),
            sites: std::mem::take(&mut self.sites),
            bindings: std::mem::take(&mut self.bindings),
            workgroup_vars: std::mem::take(&mut self.workgroup_vars),
            notes: std::mem::take(&mut self.notes),
        }
    }

    /// Compiles a function: its local variables, then its statements.
    pub(super) fn function_body(&mut self, frame: &mut Frame<'a>) -> Result<Block, ModelError> {
        let mut block = Block::new();
        let function = frame.function;
        for (handle, variable) in function.local_variables.iter() {
            let span = function.local_variables.get_span(handle);
            let words = self.layout(span, self.layouts.words(variable.ty))?;
            frame.locals.push(self.variable(words).index() as u32);
            self.check_size(span)?;
        }
        for ((handle, variable), first) in function.local_variables.iter().zip(frame.locals.clone()) {
            let span = function.local_variables.get_span(handle);
            let value = match variable.init {
                Some(init) => self.words(frame, &mut block, init)?,
                None => self.zero(span, variable.ty)?.into(),
            };
            for (i, &from) in value.iter().enumerate() {
                self.emit(&mut block, Op::Copy { to: Reg::lane(first).plus(i), from });
            }
        }
        self.block(frame, &function.body, &mut block)?;
        Ok(block)
    }

    fn global(
        &mut self,
        handle: Handle<GlobalVariable>,
        variable: &GlobalVariable,
    ) -> Result<Value, ModelError> {
        let span = self.module.global_variables.get_span(handle);
        let name: Rc<str> = variable.name.as_deref().unwrap_or("unnamed").into();
        let (root, offset) = match variable.space {
            AddressSpace::Handle => return Ok(Value::Opaque(name)),
            AddressSpace::Storage { .. } => (self.binding(span, variable, Space::Storage)?, 0),
            AddressSpace::Uniform | AddressSpace::Immediate => {
                (self.binding(span, variable, Space::Uniform)?, 0)
            }
            AddressSpace::WorkGroup => {
                let bytes = self.layout(span, self.layouts.size(variable.ty))?;
                let all = self.workgroup_vars.iter().map(|var| u64::from(var.bytes)).sum::<u64>()
                    + u64::from(bytes);
                if all > MAX_WORKGROUP_BYTES {
                    return Err(self.too_large(
                        span,
                        "the size of workgroup memory",
                        all,
                        MAX_WORKGROUP_BYTES,
                    ));
                }
                let strides = self.array_strides(span, variable.ty)?;
                self.workgroup_vars.push(WorkgroupVar { name: name.to_string(), bytes, strides });
                (Root::Workgroup(self.workgroup_vars.len() - 1), 0)
            }
            AddressSpace::Private => {
                let words = self.layout(span, self.layouts.words(variable.ty))?;
                let first = self.variable(words);
                let value = match variable.init {
                    Some(init) => self.global_expression(init)?,
                    None => self.zero(span, variable.ty)?,
                };
                let assignments = value.into_iter().enumerate();
                self.initial.extend(assignments.map(|(i, from)| (first.plus(i).index() as u32, from)));
                self.check_size(span)?;
                (Root::Registers, first.index() as u32)
            }
            AddressSpace::Function => {
                return Err(self.unsupported(span, "a function variable at module scope"));
            }
            AddressSpace::TaskPayload => return Err(self.unsupported(span, "task payloads")),
            AddressSpace::RayPayload | AddressSpace::IncomingRayPayload => {
                return Err(self.unsupported(span, "ray payloads"));
            }
        };
        let ty = PlaceType::Type(variable.ty);
        Ok(Value::Place(Place { root, offset, dynamic: None, ty, variable: name }))
    }

    /// The strides of an array, of the arrays that are its elements, and so on.
    fn array_strides(&self, span: Span, mut ty: Handle<naga::Type>) -> Result<Vec<u32>, ModelError> {
        let mut strides = Vec::new();
        while let TypeInner::Array { base, stride, .. } = self.module.types[ty].inner {
            strides.push(self.layout(span, self.layouts.stride(base, stride))?);
            ty = base;
        }
        Ok(strides)
    }

    fn binding(&mut self, span: Span, variable: &GlobalVariable, space: Space) -> Result<Root, ModelError> {
        let module = self.module;
        let name = variable.name.clone().unwrap_or_else(|| "unnamed".to_owned());
        let inner = &module.types[variable.ty].inner;
        let (fixed_bytes, element) = match *inner {
            TypeInner::Array { base, size: ArraySize::Dynamic, stride } => (
                0,
                Some(Element {
                    offset: 0,
                    stride,
                    leaves: self.layout(span, self.layouts.leaves(base, ""))?,
                }),
            ),
            TypeInner::Struct { ref members, .. } => match members.last() {
                Some(last) => match module.types[last.ty].inner {
                    TypeInner::Array { base, size: ArraySize::Dynamic, stride } => {
                        let leaves = self.layout(span, self.layouts.leaves(base, ""))?;
                        (last.offset, Some(Element { offset: last.offset, stride, leaves }))
                    }
                    _ => (self.layout(span, self.layouts.size(variable.ty))?, None),
                },
                None => (0, None),
            },
            TypeInner::BindingArray { .. } => return Err(self.unsupported(span, "arrays of buffer bindings")),
            _ => (self.layout(span, self.layouts.size(variable.ty))?, None),
        };
        self.bindings.push(Binding {
            leaves: self.layout(span, self.layouts.leaves(variable.ty, &name))?,
            name,
            group: variable.binding.map(|binding| (binding.group, binding.binding)),
            space,
            written: false,
            read: false,
            fixed_bytes: u64::from(fixed_bytes),
            element,
            atomics: false,
        });
        Ok(Root::Buffer(self.bindings.len() - 1))
    }

    fn struct_inputs(&mut self, ty: Handle<naga::Type>) -> Result<Vec<Reg>, ModelError> {
        let module = self.module;
        let TypeInner::Struct { members, .. } = &module.types[ty].inner else {
            return Err(self.unsupported(module.types.get_span(ty), "an input without a binding"));
        };
        let mut words = Vec::new();
        for member in members {
            match &member.binding {
                Some(binding) => words.extend(self.inputs_of(binding, member.ty)?),
                None => return Err(self.unsupported(module.types.get_span(ty), "an input without a binding")),
            }
        }
        Ok(words)
    }

    fn inputs_of(&mut self, binding: &NagaBinding, ty: Handle<naga::Type>) -> Result<Vec<Reg>, ModelError> {
        let span = self.module.types.get_span(ty);
        let NagaBinding::BuiltIn(builtin) = binding else {
            return Err(self.unsupported(span, "an input with a location"));
        };
        let three = |make: fn(usize) -> Input| (0..3).map(make).collect::<Vec<_>>();
        let inputs = match builtin {
            BuiltIn::GlobalInvocationId => three(Input::GlobalId),
            BuiltIn::LocalInvocationId => three(Input::LocalId),
            BuiltIn::LocalInvocationIndex => vec![Input::LocalIndex],
            BuiltIn::WorkGroupId => three(Input::WorkgroupId),
            BuiltIn::WorkGroupSize => three(Input::WorkgroupSize),
            BuiltIn::NumWorkGroups => three(Input::WorkgroupCount),
            BuiltIn::NumSubgroups => vec![Input::SubgroupCount],
            BuiltIn::SubgroupId => vec![Input::SubgroupId],
            BuiltIn::SubgroupSize => vec![Input::SubgroupSize],
            BuiltIn::SubgroupInvocationId => vec![Input::SubgroupLane],
            BuiltIn::PrimitiveIndex
            | BuiltIn::Position { .. }
            | BuiltIn::ViewIndex
            | BuiltIn::BaseInstance
            | BuiltIn::BaseVertex
            | BuiltIn::ClipDistances
            | BuiltIn::CullDistance
            | BuiltIn::InstanceIndex
            | BuiltIn::PointSize
            | BuiltIn::VertexIndex
            | BuiltIn::DrawIndex
            | BuiltIn::FragDepth
            | BuiltIn::PointCoord
            | BuiltIn::FrontFacing
            | BuiltIn::Barycentric { .. }
            | BuiltIn::SampleIndex
            | BuiltIn::SampleMask
            | BuiltIn::MeshTaskSize
            | BuiltIn::CullPrimitive
            | BuiltIn::PointIndex
            | BuiltIn::LineIndices
            | BuiltIn::TriangleIndices
            | BuiltIn::VertexCount
            | BuiltIn::Vertices
            | BuiltIn::PrimitiveCount
            | BuiltIn::Primitives
            | BuiltIn::RayInvocationId
            | BuiltIn::NumRayInvocations
            | BuiltIn::InstanceCustomData
            | BuiltIn::GeometryIndex
            | BuiltIn::WorldRayOrigin
            | BuiltIn::WorldRayDirection
            | BuiltIn::ObjectRayOrigin
            | BuiltIn::ObjectRayDirection
            | BuiltIn::RayTmin
            | BuiltIn::RayTCurrentMax
            | BuiltIn::ObjectToWorld
            | BuiltIn::WorldToObject
            | BuiltIn::HitKind => return Err(self.unsupported(span, "an input of another shader stage")),
        };
        let words = inputs.into_iter().map(|input| {
            let reg = self.registers(1, input.is_uniform());
            self.inputs.push((input, reg));
            reg
        });
        Ok(words.collect())
    }
}

/// Replaces the numbers of accesses.
fn renumber(block: &mut Block, position: &[usize]) {
    for op in block {
        match op {
            Op::Load(load) => load.access = position[load.access],
            Op::Store(store) => store.access = position[store.access],
            Op::Atomic(atomic) => atomic.access = position[atomic.access],
            Op::If(op) => {
                renumber(&mut op.accept, position);
                renumber(&mut op.reject, position);
            }
            Op::Loop(op) => {
                renumber(&mut op.body, position);
                renumber(&mut op.continuing, position);
            }
            Op::Switch(op) => op.cases.iter_mut().for_each(|case| renumber(&mut case.body, position)),
            Op::Lanes1 { .. }
            | Op::Lanes2 { .. }
            | Op::Lanes3 { .. }
            | Op::Scalar(_)
            | Op::Copy { .. }
            | Op::First { .. }
            | Op::Assign { .. }
            | Op::Gather { .. }
            | Op::Scatter { .. }
            | Op::Pick { .. }
            | Op::Index(_)
            | Op::ArrayLength { .. }
            | Op::Subgroup(_)
            | Op::Leave { .. }
            | Op::Call { .. } => {}
        }
    }
}
