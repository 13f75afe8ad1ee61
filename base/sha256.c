/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sha256.h"
#include "base/min_max.h"

#include <string.h>

enum { BLOCK = 64, WORDS = 8, ROUNDS = 64, LENGTH = 8 };

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constant[ROUNDS] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5,
	0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
	0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152,
	0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e,
	0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624,
	0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3,
	0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t x, int by)
{
	return x >> by | x << (32 - by);
}

static void schedule(uint32_t w[ROUNDS], const unsigned char *block)
{
	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
			(uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (int i = 16; i < ROUNDS; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];
		w[i] = w[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[i - 7] +
			(turned(b, 17) ^ turned(b, 19) ^ b >> 10);
	}
}

static void take_block(uint32_t state[WORDS], const unsigned char *block)
{
	uint32_t w[ROUNDS], v[WORDS];
	schedule(w, block);
	memcpy(v, state, sizeof v);
	for (int i = 0; i < ROUNDS; i++) {
		uint32_t a = v[0], e = v[4];
		uint32_t one = v[7] + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
			((e & v[5]) ^ (~e & v[6])) + constant[i] + w[i];
		uint32_t two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) +
			((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
		memmove(v + 1, v, (WORDS - 1) * sizeof *v);
		v[4] += one;
		v[0] = one + two;
	}
	for (int i = 0; i < WORDS; i++)
		state[i] += v[i];
}

/* What does not fill a block, a one, zeros, and the length in bits. */
static void take_end(uint32_t state[WORDS], const unsigned char *rest, size_t n, uint64_t bytes)
{
	unsigned char end[2 * BLOCK] = {0};
	size_t blocks = n + 1 + LENGTH > BLOCK ? 2 : 1;
	if (n)
		memcpy(end, rest, n);
	end[n] = 0x80;
	for (int i = 0; i < LENGTH; i++)
		end[blocks * BLOCK - 1 - (size_t)i] = (unsigned char)(8 * bytes >> 8 * i);
	for (size_t i = 0; i < blocks; i++)
		take_block(state, end + i * BLOCK);
}

void sha256(unsigned char hash[SHA256_BYTES], const void *bytes, size_t n)
{
	/* Those of the square roots of the first eight primes. */
	uint32_t state[WORDS] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
		0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	const unsigned char *p = bytes;
	size_t whole = n / BLOCK * BLOCK;
	for (size_t i = 0; i < whole; i += BLOCK)
		take_block(state, p + i);
	take_end(state, n ? p + whole : NULL, n - whole, n);
	for (int i = 0; i < SHA256_BYTES; i++)
		hash[i] = (unsigned char)(state[i / 4] >> (24 - i % 4 * 8));
}

void base64_group(char signs[4], const void *bytes, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = bytes;
	uint32_t group = 0;
	if (n >= 3) {
		group = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
		signs[0] = digits[group >> 18];
		signs[1] = digits[group >> 12 & 63];
		signs[2] = digits[group >> 6 & 63];
		signs[3] = digits[group & 63];
		return;
	}
	for (size_t i = 0; i < 3; i++)
		group = group << 8 | (i < n ? p[i] : 0);
	for (size_t i = 0; i < 4; i++)
		signs[i] = '=';
	for (size_t i = 0; i <= n && i < 4; i++)
		signs[i] = digits[group >> (18 - 6 * i) & 63];
}

void sha256_base64(char text[SHA256_BASE64], const void *bytes, size_t n)
{
	unsigned char hash[SHA256_BYTES];
	sha256(hash, bytes, n);
	for (size_t i = 0; i < SHA256_BYTES; i += 3)
		base64_group(text + i / 3 * 4, hash + i, min_size(SHA256_BYTES - i, 3));
	text[SHA256_BASE64 - 1] = '\0';
}
