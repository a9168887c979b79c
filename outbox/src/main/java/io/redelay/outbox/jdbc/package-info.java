/**
 * The outbox as a table of a database: its schema, its writing side and its relays.
 */
@NullMarked
package io.redelay.outbox.jdbc;

import org.jspecify.annotations.NullMarked;
