/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Privileges of a compartmentalization in the CPM interchange format, version 1.4. One unit of
 * privilege is an instruction that may do an operation to a byte.
 */
#ifndef CPM_H
#define CPM_H

#include "lib/hash.h"

enum cpm_op { CPM_READ, CPM_WRITE, CPM_CALL, CPM_RETURN, CPM_OPS };

extern const char * const cpm_ops[CPM_OPS];

/**
 * struct cpm_subject - a subject domain
 * @name: its name
 * @functions: number of its functions
 * @instructions: number of its instructions, by operation
 * @bytes: weighted size of its code, by operation
 * @allowed: its privileges, by operation
 */
struct cpm_subject {
	const char *name;
	u32 functions;
	double instructions[CPM_OPS], bytes[CPM_OPS], allowed[CPM_OPS];
};

/**
 * struct cpm - the privileges
 * @subjects: the subject domains
 * @nr: number of @subjects
 * @allowed: sums of the privileges of @subjects, by operation
 * @monolithic: privileges without a compartmentalization
 * @tree: private: the file
 */
struct cpm {
	struct cpm_subject *subjects;
	u32 nr;
	double allowed[CPM_OPS], monolithic[CPM_OPS];
	struct tree *tree;
};

bool cpm_read(struct cpm *cpm, const char *path, const char *weights, bool wxorx,
	      char error[ERROR_MAX]);
void cpm_free(struct cpm *cpm);

#endif
