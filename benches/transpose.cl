/* The tiled transpose of shaders/transpose.wgsl in OpenCL C, for Oclgrind: see benches/oclgrind. */

#define TILE 32
#define LANE_ROWS 8

__kernel __attribute__((reqd_work_group_size(TILE, LANE_ROWS, 1)))
void tiled(__global const uint *src, __global uint *dst)
{
    __local uint tile[TILE * (TILE + 1)];
    const uint first_row = get_group_id(1) * TILE, first_column = get_group_id(0) * TILE;
    const uint x = get_local_id(0);
    const uint column = first_column + x;
    for (uint y = get_local_id(1); y < TILE; y += LANE_ROWS) {
        const uint row = first_row + y;
        if (row < SIDE && column < SIDE)
            tile[y * (TILE + 1) + x] = src[row * SIDE + column];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint row = first_row + x;
    for (uint y = get_local_id(1); y < TILE; y += LANE_ROWS) {
        const uint column = first_column + y;
        if (row < SIDE && column < SIDE)
            dst[column * SIDE + row] = tile[x * (TILE + 1) + y];
    }
}
