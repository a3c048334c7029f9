/* What the load generator's loop and its two protocols know of each other. load.c is linked with http1.c
 * or with http2.c. */
#ifndef LOAD_H
#define LOAD_H

#include <stddef.h>
#include <stdint.h>

/* A run of eight # in a request is a number of eight digits, the next one each time. */
#define PLACE "########"
enum { PLACE_BYTES = 8, PLACES = 8 };

/* One request as it stands in the file: head and body. */
struct request {
    char *bytes;
    size_t count, head_count;
    size_t places[PLACES];
    size_t place_count;
    /* What http2.c makes of it once. */
    void *fields;
    size_t field_count;
};

struct connection;

/* Provided by the protocol. */
void prepare(struct request *request);
struct connection *greet(int socket, size_t streams);
int ask(struct connection *connection, const struct request *request, uint64_t number, uint64_t time);
/* Reads what there is; 0 if the connection is of no more use. */
int receive(struct connection *connection);
/* Sends what ask() has put together; 0 likewise. */
int flush(struct connection *connection);

/* Provided by the loop. An answer of a status of three digits with so many bytes of body has come to a
 * request that was sent at that time. */
void answered(struct connection *connection, const char *status, size_t body_count, uint64_t sent);
void fail(const char *what) __attribute__((noreturn));
/* Writes the digits over the places of a copy of the request's bytes. */
void number_places(const struct request *request, char *copy, uint64_t number);

#endif
