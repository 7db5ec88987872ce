//! Sizes and figures as people write and read them; storage keeps base units.
