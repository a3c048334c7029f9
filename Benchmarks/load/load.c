/* A load generator with one thread and persistent connections, which sends the next request after each response.
 *
 * load --port N --connections N [--streams N] --status N [--body N] [--order cycle|zipf] [--seed N]
 *      [--number N] [--rate N] FILE
 *
 * FILE contains requests, each after a line with its length: an HTTP/1.1 head, and optionally a body. They are
 * sent in order, or drawn from a Zipf distribution, the first one most often. Every response must have that
 * status (and a body of that length); any other is counted as wrong, and no connection is reopened.
 *
 * A line on standard input starts a phase: "milliseconds N", "requests N" or "rounds N". In a round, every
 * connection sends as many requests as it can at once, and the next round starts when all have their responses,
 * so the batch sizes of the server do not depend on which side is faster. With a rate, "milliseconds" sends that
 * many requests per second, at random times that depend on the seed, even if earlier ones have no response yet.
 * Their latency starts when they are due, even if no connection is available then. After the last response of a
 * phase, a line of JSON reports its figures, and no request is in progress until the next phase. */
#define _GNU_SOURCE
#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 512, CONNECTIONS = 1024 };
/* Latencies, in steps of a microsecond up to a second; longer ones count as a second. */
enum { STEP_NANOSECONDS = 1000, STEPS = 1000000 };
/* How long nothing may arrive before the pending requests are abandoned. */
enum { SILENCE_MILLISECONDS = 10000 };
static const uint64_t LAST_NUMBER = 99999999;

static struct request *requests;
static size_t request_count;

static struct slot {
    struct connection *connection;
    size_t under_way;
} slots[CONNECTIONS];
static size_t slot_count, open_count;
static struct slot *current;

static int port, streams = 1, by_zipf, timer;
/* Requests per second; 0: the next one after each response. */
static double rate;
static long expected_body = -1;
static char expected_status[4];
static uint64_t number = 10000000, chance = 1, next_index;

/* The figures of the phase. */
static uint64_t latencies[STEPS];
static uint64_t answers, wrong, socket_errors, to_send, under_way, end;

void fail(const char *what) {
    perror(what);
    exit(1);
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void read_requests(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail(path);
    size_t room = 0, length;
    int items;
    while ((items = fscanf(file, "%zu", &length)) == 1) {
        if (getc(file) != '\n') fail("a request without a length");
        if (request_count == room) {
            room = room ? room * 2 : 1024;
            requests = realloc(requests, room * sizeof *requests);
            if (!requests) fail("realloc");
        }
        struct request *request = &requests[request_count++];
        *request = (struct request){.bytes = calloc(1, length + 1), .count = length};
        if (!request->bytes || fread(request->bytes, 1, length, file) != length) fail("a truncated request");
        char *head_end = memmem(request->bytes, length, "\r\n\r\n", 4);
        if (!head_end) fail("a request without the end of its head");
        request->head_count = (size_t)(head_end + 4 - request->bytes);
        char *place = request->bytes;
        while ((place = memmem(place, request->head_count - (size_t)(place - request->bytes), PLACE,
                               PLACE_BYTES))) {
            if (request->place_count == PLACES) fail("too many numbers in a request");
            request->places[request->place_count++] = (size_t)(place - request->bytes);
            place += PLACE_BYTES;
        }
        prepare(request);
    }
    if (items != EOF || !request_count) fail("no requests");
    fclose(file);
}

void number_places(const struct request *request, char *copy, uint64_t number) {
    char digits[PLACE_BYTES];
    for (size_t index = PLACE_BYTES; index-- > 0; number /= 10) digits[index] = (char)('0' + number % 10);
    for (size_t index = 0; index < request->place_count; index++)
        memcpy(copy + request->places[index], digits, PLACE_BYTES);
}

static double random_share(void) {
    /* The 53 high-order bits of xorshift64*. */
    chance ^= chance >> 12;
    chance ^= chance << 25;
    chance ^= chance >> 27;
    return (double)((chance * 2685821657736338717u) >> 11) / 9007199254740992.0;
}

static const struct request *next_request(void) {
    if (!by_zipf) return &requests[next_index++ % request_count];
    /* The integral part of the power of e is n with a probability proportional to log((n + 1) / n), or nearly 1 / n. */
    size_t rank = (size_t)exp(random_share() * log((double)request_count + 1));
    return &requests[rank > request_count ? request_count - 1 : rank - 1];
}

static void give_up(struct slot *slot) {
    socket_errors++;
    under_way -= slot->under_way;
    slot->under_way = 0;
    slot->connection = NULL;
    open_count--;
}

/* Sends as many requests as the connection has capacity for. */
static void ask_again(struct slot *slot, uint64_t time) {
    current = slot;
    while (slot->connection && slot->under_way < (size_t)streams && to_send && time < end) {
        const struct request *request = next_request();
        if (number > LAST_NUMBER) fail("no numbers are left");
        to_send--;
        slot->under_way++;
        under_way++;
        if (!ask(slot->connection, request, number, time)) give_up(slot);
        if (request->place_count) number++;
    }
    if (slot->connection && !flush(slot->connection)) give_up(slot);
}

void answered(struct connection *connection, const char *status, size_t body_count, uint64_t sent) {
    (void)connection;
    uint64_t step = (now() - sent) / STEP_NANOSECONDS;
    latencies[step < STEPS ? step : STEPS - 1]++;
    answers++;
    under_way--;
    current->under_way--;
    int is_right = memcmp(status, expected_status, 3) == 0
        && (expected_body < 0 || body_count == (size_t)expected_body);
    if (!is_right) wrong++;
}

static void connect_all(size_t count, int watch) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    /* This is for the handshake, which is the only step that blocks. */
    struct timeval patience = {.tv_sec = SILENCE_MILLISECONDS / 1000};
    int on = 1;
    for (; slot_count < count; slot_count++) {
        int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (file < 0) fail("socket");
        if (setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on)
            || setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience))
            fail("setsockopt");
        if (connect(file, (struct sockaddr *)&address, sizeof address)) fail("connect");
        slots[slot_count].connection = greet(file, (size_t)streams);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &slots[slot_count]};
        if (epoll_ctl(watch, EPOLL_CTL_ADD, file, &event)) fail("epoll_ctl");
    }
    open_count = slot_count;
}

static uint64_t microseconds_of(double share) {
    uint64_t rank = (uint64_t)(share * (double)answers), seen = 0;
    for (uint64_t step = 0; step < STEPS; step++) {
        seen += latencies[step];
        if (seen > rank) return (step + 1) * STEP_NANOSECONDS / 1000;
    }
    return 0;
}

/* Waits for responses, and sends the next requests; returns 0 if nothing arrives anymore. */
static int receive_ready(int watch) {
    struct epoll_event events[EVENTS];
    int ready = epoll_wait(watch, events, EVENTS, SILENCE_MILLISECONDS);
    if (ready < 0 && errno != EINTR) fail("epoll_wait");
    if (ready == 0) socket_errors += under_way;
    for (int index = 0; index < ready; index++) {
        current = events[index].data.ptr;
        /* The timer has no slot; setting it again clears its event. */
        if (!current || !current->connection) continue;
        if (receive(current->connection)) ask_again(current, now());
        else give_up(current);
    }
    return ready != 0;
}

/* Returns once all requests have their responses, or nothing arrives anymore. */
static void run_round(int watch) {
    uint64_t start = now();
    for (size_t index = 0; index < slot_count; index++) ask_again(&slots[index], start);
    while (under_way && receive_ready(watch)) {}
}

/* Returns the next connection, in turn, that can send a request, or NULL. */
static struct slot *free_slot(void) {
    static size_t next_slot;
    for (size_t tries = 0; tries < slot_count; tries++) {
        struct slot *slot = &slots[next_slot++ % slot_count];
        if (slot->connection && slot->under_way < (size_t)streams) return slot;
    }
    return NULL;
}

/* The same for requests that are due at random times, like those of many independent clients. */
static void run_paced(int watch) {
    uint64_t due = now();
    to_send = 0;
    do {
        int is_full = 0;
        while (due < end && due <= now()) {
            struct slot *slot = free_slot();
            is_full = !slot;
            if (is_full) break;
            to_send = 1;
            ask_again(slot, due);
            due += (uint64_t)(-log(1 - random_share()) / rate * 1e9);
        }
        /* Zero disables the timer: without an available connection, the next event is a response. */
        uint64_t wake = due < end && !is_full ? due : 0;
        struct itimerspec setting = {.it_value = {(time_t)(wake / 1000000000), (long)(wake % 1000000000)}};
        if (timerfd_settime(timer, TFD_TIMER_ABSTIME, &setting, NULL)) fail("timerfd_settime");
    } while (open_count && (due < end || under_way) && receive_ready(watch));
}

static void run_phase(int watch, int is_paced, uint64_t rounds, uint64_t requests_each) {
    memset(latencies, 0, sizeof latencies);
    answers = wrong = socket_errors = 0;
    uint64_t start = now();
    for (; rounds && !under_way; rounds--) {
        to_send = requests_each;
        if (is_paced) run_paced(watch);
        else run_round(watch);
    }
    uint64_t duration = now() - start;
    printf("RESULT {\"requests\":%llu,\"nanoseconds\":%llu,\"p50\":%llu,\"p99\":%llu,"
           "\"wrong\":%llu,\"socketErrors\":%llu,\"next\":%llu}\n",
           (unsigned long long)answers, (unsigned long long)duration,
           (unsigned long long)microseconds_of(0.5), (unsigned long long)microseconds_of(0.99),
           (unsigned long long)wrong, (unsigned long long)socket_errors, (unsigned long long)number);
    fflush(stdout);
    /* Responses to pending requests would be counted in the next phase. */
    if (under_way) exit(1);
}

int main(int count, char **arguments) {
    static const struct option options[] = {
        {"port", required_argument, 0, 'p'},   {"connections", required_argument, 0, 'c'},
        {"streams", required_argument, 0, 'm'}, {"status", required_argument, 0, 's'},
        {"body", required_argument, 0, 'b'},   {"order", required_argument, 0, 'o'},
        {"seed", required_argument, 0, 'r'},   {"number", required_argument, 0, 'n'},
        {"rate", required_argument, 0, 't'},   {0},
    };
    size_t connections = 0;
    for (int option; (option = getopt_long(count, arguments, "", options, NULL)) != -1;) switch (option) {
        case 'p': port = atoi(optarg); break;
        case 'c': connections = (size_t)atoi(optarg); break;
        case 'm': streams = atoi(optarg); break;
        case 's': snprintf(expected_status, sizeof expected_status, "%.3s", optarg); break;
        case 'b': expected_body = atol(optarg); break;
        case 'o': by_zipf = strcmp(optarg, "zipf") == 0; break;
        case 'r': chance = strtoull(optarg, NULL, 10); break;
        case 'n': number = strtoull(optarg, NULL, 10); break;
        case 't': rate = strtod(optarg, NULL); break;
        default: return 2;
    }
    if (!port || !*expected_status || !chance || streams < 1 || connections < 1 || connections > CONNECTIONS
        || optind != count - 1) {
        fprintf(stderr, "for the usage, see the top of load.c\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    read_requests(arguments[optind]);
    int watch = epoll_create1(EPOLL_CLOEXEC);
    if (watch < 0) fail("epoll_create1");
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    struct epoll_event ring = {.events = EPOLLIN};
    if (timer < 0 || epoll_ctl(watch, EPOLL_CTL_ADD, timer, &ring)) fail("timerfd");
    connect_all(connections, watch);
    char unit[32];
    unsigned long long amount;
    while (scanf("%31s %llu", unit, &amount) == 2) {
        if (!open_count) {
            fprintf(stderr, "no connection is left\n");
            return 1;
        }
        int is_timed = strcmp(unit, "milliseconds") == 0;
        end = is_timed ? now() + amount * 1000000 : UINT64_MAX;
        if (strcmp(unit, "rounds") == 0) run_phase(watch, 0, amount, open_count * (uint64_t)streams);
        else run_phase(watch, is_timed && rate > 0, 1, is_timed ? UINT64_MAX : amount);
    }
    return 0;
}
