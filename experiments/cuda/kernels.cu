/* SPDX-License-Identifier: Apache-2.0 */
// The kernels that nvcc builds; kernels.h says what they share. Loads of a thread stand before its
// first use of them, so that several are on their way at once.
#include "experiments/cuda/kernels.h"

#include "experiments/cuda/arithmetic.cuh"

enum { BF16, F32 }; // enum dtype
enum { ADD, MUL, GELU_TANH, SQUARE }; // enum pointwise

struct add {
	enum { INPUTS = 2 };
	TB_FORCE static float of(float x, float y)
	{
		return tb_add(x, y);
	}
};

struct mul {
	enum { INPUTS = 2 };
	TB_FORCE static float of(float x, float y)
	{
		return tb_mul(x, y);
	}
};

struct gelu_tanh {
	enum { INPUTS = 1 };
	TB_FORCE static float of(float x, float)
	{
		return tb_gelu_tanh(x);
	}
};

struct square {
	enum { INPUTS = 1 };
	TB_FORCE static float of(float x, float)
	{
		return tb_square(x);
	}
};

// The last elements, fewer than a vector holds.
template <class T, class Op> TB_FORCE void one_by_one(const kernel_args &a, int64_t first)
{
	typedef typename T::element element;
	const element *x = (const element *)a.in[0], *y = (const element *)a.in[Op::INPUTS - 1];
#pragma unroll 1
	for (int64_t i = first; i < a.n; i++)
		((element *)a.out)[i] = T::put(Op::of(T::get(x[i]), T::get(y[i])));
}

template <class T, class Op> TB_FORCE tb_vector of_vectors(const tb_vector &vx, const tb_vector &vy)
{
	float x[T::LANES], y[T::LANES];
	T::unpack(vx, x);
	T::unpack(vy, y);
#pragma unroll
	for (int i = 0; i < T::LANES; i++)
		x[i] = Op::of(x[i], y[i]);
	return T::pack(x);
}

template <class T, class Op> TB_FORCE void by_vector(const kernel_args &a)
{
	int64_t vectors = a.n / T::LANES;
	int64_t at = (int64_t)blockIdx.x * (KERNEL_VECTOR_BLOCK * KERNEL_VECTORS) + threadIdx.x;
	tb_vector x[KERNEL_VECTORS], y[KERNEL_VECTORS];
#pragma unroll
	for (int k = 0; k < KERNEL_VECTORS; k++) {
		int64_t v = at + k * KERNEL_VECTOR_BLOCK;
		if (v < vectors) {
			x[k] = tb_load(a.in[0], v);
			y[k] = Op::INPUTS > 1 ? tb_load(a.in[1], v) : x[k];
		}
	}
#pragma unroll
	for (int k = 0; k < KERNEL_VECTORS; k++) {
		int64_t v = at + k * KERNEL_VECTOR_BLOCK;
		if (v < vectors)
			tb_store(a.out, v, of_vectors<T, Op>(x[k], y[k]));
	}
	if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
		one_by_one<T, Op>(a, vectors * T::LANES);
}

#define BY_VECTOR(operation) \
	extern "C" __global__ void __launch_bounds__(KERNEL_VECTOR_BLOCK) \
		tracebook_##operation##_bf16(kernel_args a) \
	{ \
		by_vector<tb_bf16, operation>(a); \
	} \
	extern "C" __global__ void __launch_bounds__(KERNEL_VECTOR_BLOCK) \
		tracebook_##operation##_fp32(kernel_args a) \
	{ \
		by_vector<tb_f32, operation>(a); \
	}

BY_VECTOR(add)
BY_VECTOR(mul)
BY_VECTOR(gelu_tanh)
BY_VECTOR(square)

// ---- gelu(gate) * up for any shape, a block a row -----------------------------------------------
// The counterpart of Liger's kernel: rows and columns are known at run time only, and gelu is
// rounded to the dtype before the product, as there.

template <class T> TB_FORCE float geglu(float gate, float up)
{
	return T::rounded(tb_gelu_tanh(gate)) * up;
}

template <class T> TB_FORCE tb_vector geglu_vector(const tb_vector &gate, const tb_vector &up)
{
	float x[T::LANES], y[T::LANES];
	T::unpack(gate, x);
	T::unpack(up, y);
#pragma unroll
	for (int i = 0; i < T::LANES; i++)
		x[i] = geglu<T>(x[i], y[i]);
	return T::pack(x);
}

// A row that is a whole number of vectors starts on a multiple of 16 bytes like the array itself.
template <class T> TB_FORCE void geglu_row(const kernel_args &a)
{
	typedef typename T::element element;
	int64_t start = (int64_t)blockIdx.x * a.row;
	if (a.row % T::LANES == 0) {
		int64_t first = start / T::LANES, vectors = a.row / T::LANES;
		for (int64_t v = threadIdx.x; v < vectors; v += blockDim.x) {
			tb_vector gate = tb_load(a.in[0], first + v);
			tb_vector up = tb_load(a.in[1], first + v);
			tb_store(a.out, first + v, geglu_vector<T>(gate, up));
		}
		return;
	}
	const element *gate = (const element *)a.in[0] + start;
	const element *up = (const element *)a.in[1] + start;
	element *out = (element *)a.out + start;
	for (int64_t c = threadIdx.x; c < a.row; c += blockDim.x)
		out[c] = T::put(geglu<T>(T::get(gate[c]), T::get(up[c])));
}

extern "C" __global__ void tracebook_geglu_tanh_generic_bf16(kernel_args a)
{
	geglu_row<tb_bf16>(a);
}

extern "C" __global__ void tracebook_geglu_tanh_generic_fp32(kernel_args a)
{
	geglu_row<tb_f32>(a);
}

// ---- the square of every element, in ways that a first lecture on profiling compares ------------

extern "C" __global__ void tracebook_square_naive(kernel_args a)
{
	int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < a.n) {
		float x = ((const float *)a.in[0])[i];
		((float *)a.out)[i] = x * x;
	}
}

// The compiler does not know the exponent, so this is the library's power and not x * x.
extern "C" __global__ void tracebook_square_powf(kernel_args a)
{
	int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
	float exponent = a.row < 0 ? 3.0f : 2.0f;
	if (i < a.n)
		((float *)a.out)[i] = powf(((const float *)a.in[0])[i], exponent);
}

extern "C" __global__ void tracebook_square_tile(kernel_args a)
{
	int64_t column = (int64_t)blockIdx.x * KERNEL_TILE + threadIdx.x;
	int64_t row = (int64_t)blockIdx.y * KERNEL_TILE + threadIdx.y;
	if (column < a.row && row * a.row < a.n) {
		float x = ((const float *)a.in[0])[row * a.row + column];
		((float *)a.out)[row * a.row + column] = x * x;
	}
}

// As Triton lays out one program a row: BLOCK lanes, the next power of two, masked beyond the row.
extern "C" __global__ void tracebook_square_row(kernel_args a)
{
	int64_t start = (int64_t)blockIdx.x * a.row, lanes = 1;
	while (lanes < a.row)
		lanes *= 2;
	for (int64_t c = threadIdx.x; c < lanes; c += blockDim.x) {
		float x = c < a.row ? ((const float *)a.in[0])[start + c] : 0.0f;
		if (c < a.row)
			((float *)a.out)[start + c] = x * x;
	}
}

// The same with 1024 lanes, eight a thread, and a loop over the row.
extern "C" __global__ void tracebook_square_row_loop(kernel_args a)
{
	enum { LANES = 8, BLOCK = 1024, THREADS = BLOCK / LANES };
	int64_t start = (int64_t)blockIdx.x * a.row;
	for (int64_t first = 0; first < a.row; first += BLOCK) {
		float x[LANES];
#pragma unroll
		for (int k = 0; k < LANES; k++) {
			int64_t c = first + k * THREADS + threadIdx.x;
			x[k] = c < a.row ? ((const float *)a.in[0])[start + c] : 0.0f;
		}
#pragma unroll
		for (int k = 0; k < LANES; k++) {
			int64_t c = first + k * THREADS + threadIdx.x;
			if (c < a.row)
				((float *)a.out)[start + c] = x[k] * x[k];
		}
	}
}

#include "experiments/cuda/attention.cuh"
#include "experiments/cuda/attention_hopper.cuh"

// ---- attention written out: the factor, and the mask
// ---------------------------------------------

template <class T> TB_FORCE void scaled(const kernel_args &a)
{
	typedef typename T::element element;
	int64_t vectors = a.n / T::LANES;
	int64_t at = (int64_t)blockIdx.x * KERNEL_VECTOR_BLOCK + threadIdx.x;
	if (at < vectors) {
		float x[T::LANES];
		T::unpack(tb_load(a.in[0], at), x);
#pragma unroll
		for (int i = 0; i < T::LANES; i++)
			x[i] *= a.factor;
		tb_store(a.out, at, T::pack(x));
	}
	if (at == 0)
		for (int64_t i = vectors * T::LANES; i < a.n; i++)
			((element *)a.out)[i] =
				T::put(T::get(((const element *)a.in[0])[i]) * a.factor);
}

// What lies behind a row's own place becomes minus infinity; the rest is not touched.
template <class T> TB_FORCE void masked(const kernel_args &a)
{
	int64_t row = (int64_t)blockIdx.x * (KERNEL_VECTOR_BLOCK / 32) + threadIdx.x / 32;
	if (row >= a.n / a.row)
		return;
	typename T::element *x = (typename T::element *)a.out + row * a.row;
	for (int64_t c = row % a.rows + 1 + threadIdx.x % 32; c < a.row; c += 32)
		x[c] = T::put(NO_SCORE);
}

#define BY_ROWS(operation, does) \
	extern "C" __global__ void __launch_bounds__(KERNEL_VECTOR_BLOCK) \
		tracebook_##operation##_bf16(kernel_args a) \
	{ \
		does<tb_bf16>(a); \
	} \
	extern "C" __global__ void __launch_bounds__(KERNEL_VECTOR_BLOCK) \
		tracebook_##operation##_fp32(kernel_args a) \
	{ \
		does<tb_f32>(a); \
	}

BY_ROWS(mul_scalar, scaled)
BY_ROWS(mask, masked)

// ---- a product, plainly
// --------------------------------------------------------------------------

template <class T> TB_FORCE void product_element(const product_args &a)
{
	typedef typename T::element element;
	int64_t i = (int64_t)blockIdx.x * KERNEL_TILE + threadIdx.x;
	int64_t j = (int64_t)blockIdx.y * KERNEL_TILE + threadIdx.y, batch = blockIdx.z;
	if (i >= a.m || j >= a.n)
		return;
	const element *x = (const element *)a.first + batch * a.first_batch + i * a.first_m;
	const element *y = (const element *)a.second + batch * a.second_batch + j * a.second_n;
	float sum = 0.0f;
	for (int64_t k = 0; k < a.k; k++)
		sum += T::get(x[k * a.first_k]) * T::get(y[k * a.second_k]);
	if (a.bias)
		sum += T::get(((const element *)a.bias)[i]);
	if (a.c)
		sum += T::get(((const element *)a.c)[batch * a.c_batch + j * a.c_n + i]);
	((element *)a.d)[batch * a.d_batch + j * a.d_n + i] = T::put(sum);
}

extern "C" __global__ void tracebook_gemm_plain_bf16(product_args a)
{
	product_element<tb_bf16>(a);
}

extern "C" __global__ void tracebook_gemm_plain_fp32(product_args a)
{
	product_element<tb_f32>(a);
}

extern "C" const void *const kernel_product[] = {
	(const void *)tracebook_gemm_plain_bf16, (const void *)tracebook_gemm_plain_fp32};

#define NAMED(kernel) #kernel, (const void *)kernel
#define BY_ROW_GENERIC KERNEL_BY_ROW_GENERIC, "tracebook_geglu_tanh_generic"

extern "C" const struct kernel kernels[] = {
	{NAMED(tracebook_add_bf16), BF16, 1, {ADD}, KERNEL_BY_VECTOR, nullptr},
	{NAMED(tracebook_add_fp32), F32, 1, {ADD}, KERNEL_BY_VECTOR, nullptr},
	{NAMED(tracebook_mul_bf16), BF16, 1, {MUL}, KERNEL_BY_VECTOR, nullptr},
	{NAMED(tracebook_mul_fp32), F32, 1, {MUL}, KERNEL_BY_VECTOR, nullptr},
	{NAMED(tracebook_gelu_tanh_bf16), BF16, 1, {GELU_TANH}, KERNEL_BY_VECTOR, nullptr},
	{NAMED(tracebook_gelu_tanh_fp32), F32, 1, {GELU_TANH}, KERNEL_BY_VECTOR, nullptr},
	{NAMED(tracebook_square_bf16), BF16, 1, {SQUARE}, KERNEL_BY_VECTOR, nullptr},
	{NAMED(tracebook_square_fp32), F32, 1, {SQUARE}, KERNEL_BY_VECTOR, nullptr},
	{NAMED(tracebook_geglu_tanh_generic_bf16), BF16, 2, {GELU_TANH, MUL}, BY_ROW_GENERIC},
	{NAMED(tracebook_geglu_tanh_generic_fp32), F32, 2, {GELU_TANH, MUL}, BY_ROW_GENERIC},
	{NAMED(tracebook_square_naive), F32, 1, {SQUARE}, KERNEL_BY_ELEMENT, "square_naive"},
	{NAMED(tracebook_square_powf), F32, 1, {SQUARE}, KERNEL_BY_ELEMENT, "square_powf"},
	{NAMED(tracebook_square_tile), F32, 1, {SQUARE}, KERNEL_BY_TILE, "square_tile"},
	{NAMED(tracebook_square_row), F32, 1, {SQUARE}, KERNEL_BY_ROW, "square_row"},
	{NAMED(tracebook_square_row_loop), F32, 1, {SQUARE}, KERNEL_BY_ROW_LOOP, "square_row_loop"},
	{NAMED(tracebook_softmax_bf16), BF16, 0, {ADD}, KERNEL_BY_WARP, "softmax"},
	{NAMED(tracebook_softmax_fp32), F32, 0, {ADD}, KERNEL_BY_WARP, "softmax"},
	{NAMED(tracebook_attention_bf16), BF16, 0, {ADD}, KERNEL_BY_QUERIES, "attention"},
	{NAMED(tracebook_attention_wgmma_bf16), BF16, 0, {ADD}, KERNEL_BY_GROUPS, "attention"},
	{NAMED(tracebook_mul_scalar_bf16), BF16, 0, {ADD}, KERNEL_BY_VECTOR, "scale"},
	{NAMED(tracebook_mul_scalar_fp32), F32, 0, {ADD}, KERNEL_BY_VECTOR, "scale"},
	{NAMED(tracebook_mask_bf16), BF16, 0, {ADD}, KERNEL_BY_WARP, "mask"},
	{NAMED(tracebook_mask_fp32), F32, 0, {ADD}, KERNEL_BY_WARP, "mask"},
	{nullptr, nullptr, 0, 0, {ADD}, KERNEL_BY_VECTOR, nullptr},
};
