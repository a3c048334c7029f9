/* The interface between the load generator's loop and its two protocols. load.c is linked with http1.c or
 * http2.c. */
#ifndef LOAD_H
#define LOAD_H

#include <stddef.h>
#include <stdint.h>

/* Eight consecutive # in a request are replaced by a number of eight digits, which is incremented each time. */
#define PLACE "########"
enum { PLACE_BYTES = 8, PLACES = 8 };

/* A request with its head and body, as in the file. */
struct request {
    char *bytes;
    size_t count, head_count;
    size_t places[PLACES];
    size_t place_count;
    /* The fields, which http2.c parses once. */
    void *fields;
    size_t field_count;
};

struct connection;

/* Provided by the protocol. */
void prepare(struct request *request);
struct connection *greet(int socket, size_t streams);
int ask(struct connection *connection, const struct request *request, uint64_t number, uint64_t time);
/* Reads the available data; returns 0 if the connection can no longer be used. */
int receive(struct connection *connection);
/* Sends what ask() has prepared; returns 0 if the connection can no longer be used. */
int flush(struct connection *connection);

/* Provided by the loop. Records a response with a status of three digits and a body of this many bytes to a
 * request that was sent at this time. */
void answered(struct connection *connection, const char *status, size_t body_count, uint64_t sent);
void fail(const char *what) __attribute__((noreturn));
/* Overwrites the places in a copy of the request's bytes with the digits. */
void number_places(const struct request *request, char *copy, uint64_t number);

#endif
