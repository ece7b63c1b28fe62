// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's core under a deterministic scheduler: run scenarios.
 *
 * usage: core-sched [-a] [-b <bound>] [-n <schedules>] [-w] [-v] [-s <schedule>] [<scenario>...]
 *
 * A scenario is a list of operations, such as free_x+clear: of tasks that run at once. After "^",
 * an operation is that of an interrupt on the CPU of the first one, after "!", of an NMI. Without
 * scenarios, all pairs of operations are run, and some triples. Each runs in a process of its own.
 *
 * -a: run all schedules, also those that reach the state of an earlier one
 * -b: cost of a schedule at most, the number of its preemptions; default 2
 * -n: number of schedules of each scenario at most; default unlimited
 * -v: print what was done for each scenario
 * -w: stores may be delayed; each delay costs like a preemption
 * -s: run only this schedule, as a failure prints it
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sched.h"

static unsigned int bound = 2;
static unsigned long most = ULONG_MAX;
static const char *schedule;
static bool verbose;

static struct context contexts[CONTEXTS];
static unsigned int contexts_count;

/* Totals. */
static unsigned long scenarios, schedules, complete;
static unsigned int passed, failed;

static void *reserve_zeroed(size_t size)
{
	void *memory = aligned_alloc(PAGE_SIZE, round_up(size, PAGE_SIZE));

	CHECK(memory);
	return memset(memory, 0, round_up(size, PAGE_SIZE));
}

static void start_core(void)
{
	const struct memorizer_range ranges[MEMORIZER_RANGES] = {
		{ .base = STRUCT_PAGES, .bytes = STRUCT_PAGE_BYTES },
		{ .base = VARIABLES, .bytes = VARIABLE_BYTES },
	};
	unsigned long size = POOL_BLOCKS(16);

	memorizer_lines_wanted = 16;
	memorizer_caches_init();
	CHECK_EQ(memorizer_entry_table_init(reserve_zeroed, PAGE_SIZE), 0);
	CHECK_EQ(memorizer_index_init(reserve_zeroed, MAP_BASE, MAP_BYTES, ranges), 0);
	memorizer_lazy_init(MEMORIZER_KIND_STRUCT_PAGE, STRUCT_PAGES, STRUCT_PAGE_BYTES);
	memorizer_lazy_init(MEMORIZER_KIND_STATIC, VARIABLES, STATIC_BYTES);
	memorizer_lazy_init(MEMORIZER_KIND_PERCPU, PERCPU(0), PERCPU_BYTES);
	memorizer_pool_init(reserve_zeroed(size), size);
	CHECK_EQ(memorizer_set_enabled(true), 0);
}

static void run_0(void)
{
	scenario_run(0);
}

static void run_1(void)
{
	scenario_run(1);
}

static void run_2(void)
{
	scenario_run(2);
}

static void run_3(void)
{
	scenario_run(3);
}

static void run_schedule(bool resumes)
{
	bool ended;

	if (resumes) {
		ended = contexts_resume();
	} else {
		sched_logs = true;
		scenario_reset();
		ended = contexts_run(contexts, contexts_count);
	}
	if (!ended)
		return;
	state_ended();
	check_end();
}

static const struct operation *find_operation(const char *name, size_t length)
{
	unsigned int i;

	for (i = 0; i < operations_count; i++)
		if (strlen(operations[i].name) == length &&
		    !strncmp(operations[i].name, name, length))
			return &operations[i];
	fprintf(stderr, "unknown operation: %.*s\n", (int)length, name);
	exit(2);
}

/* Set up the contexts of a scenario. */
static void parse(const char *name)
{
	static void (*const runs[CONTEXTS])(void) = { run_0, run_1, run_2, run_3 };
	char how = '+';
	size_t length;

	contexts_count = 0;
	possible_cpus = 0;
	for (;;) {
		length = strcspn(name, "+^!");
		CHECK(contexts_count < CONTEXTS);
		scenario_set(contexts_count, find_operation(name, length));
		contexts[contexts_count] = (struct context){
			.run = runs[contexts_count],
			.cpu = how == '+' ? possible_cpus++ : 0,
			.interrupts = how != '+',
			.nmi = how == '!',
		};
		contexts_count++;
		how = name[length];
		if (!how)
			break;
		name += length + 1;
	}
}

static void crash(int sig)
{
	explore_fail(strsignal(sig));
}

/* In the scenario's process. */
static struct exploration run_scenario(const char *name)
{
	static char stack[1 << 16];
	stack_t alternative = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = crash, .sa_flags = SA_ONSTACK };
	struct exploration done = { };

	sigaltstack(&alternative, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
	parse(name);
	start_core();
	scenario_prepare();
	if (schedule)
		explore_replay(run_schedule, schedule);
	else
		done = explore(run_schedule, bound, most);
	return done;
}

static bool passes(const char *name, u64 *ended)
{
	struct exploration done = { };
	int status = 0, result[2];
	pid_t pid;

	fflush(stdout);
	CHECK_EQ(pipe(result), 0);
	pid = fork();
	if (!pid) {
		done = run_scenario(name);
		CHECK_EQ(write(result[1], &done, sizeof(done)), sizeof(done));
		_exit(0);
	}
	close(result[1]);
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	if (read(result[0], &done, sizeof(done)) != sizeof(done))
		status = 1;
	close(result[0]);
	scenarios++;
	schedules += done.schedules;
	complete += done.complete;
	if (ended)
		*ended = done.ended;
	if (status)
		printf("# failed: %s\n", name);
	else if (verbose)
		printf("# %s: %lu schedules of up to %u choices, %lu states%s\n", name,
		       done.schedules, done.points, done.states,
		       done.complete ? "" : ", incomplete");
	return !status;
}

static void report(bool ok, const char *what)
{
	printf("%s %s: %s\n", ok ? "ok" : "not ok", sched_weak ? "weak" : "sched", what);
	*(ok ? &passed : &failed) += 1;
}

/* May both run at once? The kernel never ends what somebody else uses. */
static bool fit(const struct operation *a, const struct operation *b)
{
	if (a == b && a->flags & WITH_ITSELF)
		return true;
	return !(a->takes & (b->needs | b->takes)) && !(b->takes & a->needs);
}

/* Run an operation with each other one that may run as @how. */
static void run_pairs(const struct operation *a, char how, unsigned int from)
{
	const struct operation *b;
	char name[200];
	bool ok = true;
	unsigned int i;

	for (i = from; i < operations_count; i++) {
		b = &operations[i];
		if ((how != '+' && b->flags & SLEEPS) || (how == '!' && !(b->flags & IN_NMI)) ||
		    !fit(a, b))
			continue;
		snprintf(name, sizeof(name), "%s%c%s", a->name, how, b->name);
		ok &= passes(name, NULL);
	}
	snprintf(name, sizeof(name), "%s %s", a->name,
		 how == '+' ? "and other operations" :
		 how == '^' ? "and interrupts" : "and NMIs");
	report(ok, name);
}

static void run_all(void)
{
	static const char *const triples[] = {
		"access_first+free_and_alloc_x+clear",
		"access_again+free_and_alloc_x+clear",
		"access_and_carry+read_all+free_x",
		"access_and_carry_again+access_and_carry_again+read_in_steps",
		"free_x+free_x+clear",
		"bury_x+access_again+clear",
		"alloc_in_reused_slab+alloc_in_reused_slab+access_again",
		"alloc_in_reused_slab+alloc_in_reused_slab+clear",
		"alloc_slab_over_large+alloc_slab_over_large+clear",
		"access_group_first+free_and_alloc_x+retire",
		"alloc_in_new_slab+alloc_in_new_slab+clear",
		"free_lower_page+free_upper_page+access_pages",
		"alloc_in_pages+alloc_in_pages+access_pages",
		"access_first+track_lines+free_and_alloc_x",
		"free_and_alloc_x+clear^access_again",
		"free_and_alloc_x+access_and_carry^access_and_carry",
		"read_all+access_and_carry^access_and_carry",
		"track_lines+access_first!access_first",
		"store_and_load_line+load_line!load_line",
		"store_and_load_line+store_and_load_line!store_and_load_line",
	};
	unsigned int i;

	for (i = 0; i < operations_count; i++)
		run_pairs(&operations[i], '+', i);
	for (i = 0; i < operations_count; i++)
		run_pairs(&operations[i], '^', 0);
	/* Where interrupts are disabled. */
	run_pairs(find_operation("track_lines", 11), '!', 0);
	run_pairs(find_operation("store_and_load_line", 19), '!', 0);
	for (i = 0; i < ARRAY_SIZE(triples); i++)
		report(passes(triples[i], NULL), triples[i]);
}

/* Compare the states in which schedules end, with and without merging. */
static bool merges_rightly(const char *name)
{
	u64 with, without;
	bool ok;

	ok = passes(name, &with);
	explore_merges = false;
	ok &= passes(name, &without);
	explore_merges = true;
	return ok && with == without;
}

static void compare_ends(void)
{
	static const char *const names[] = {
		"access_first+store_and_load_line",
		"access_and_carry+read_all",
		"free_upper_page+access_pages",
		"alloc_in_new_slab^alloc_in_new_slab",
	};
	bool ok = true;
	unsigned int i;

	bound = 2;
	most = ULONG_MAX;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		ok &= merges_rightly(names[i]);
	report(ok, "schedules end in the same states with and without merging");
}

/* This scenario lost an access when a free changed the state before it hid the object. */
static void run_deep(void)
{
	bound = 3;
	most = ULONG_MAX;
	report(passes("access_again+free_x+clear", NULL),
	       "access_again+free_x+clear with three preemptions");
}

int main(int argc, char **argv)
{
	int option;
	bool all;

	while ((option = getopt(argc, argv, "ab:n:s:vw")) != -1) {
		switch (option) {
		case 'a':
			explore_merges = false;
			break;
		case 'b':
			bound = atoi(optarg);
			break;
		case 'n':
			most = strtoul(optarg, NULL, 0);
			break;
		case 's':
			schedule = optarg;
			break;
		case 'v':
			verbose = true;
			break;
		case 'w':
			sched_weak = true;
			break;
		default:
			return 2;
		}
	}
	all = optind == argc;
	if (all)
		run_all();
	for (; optind < argc; optind++)
		report(passes(argv[optind], NULL), argv[optind]);
	printf("# %lu scenarios, %lu schedules; %lu scenarios completely up to %u preemptions%s\n",
	       scenarios, schedules, complete, bound, sched_weak ? " or delayed stores" : "");
	if (all && explore_merges) {
		compare_ends();
		if (!sched_weak)
			run_deep();
	}
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}
