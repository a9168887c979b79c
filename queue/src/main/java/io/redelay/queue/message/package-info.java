/**
 * A message as Redis keeps it: envelope, keys, limits, settlement, and the records that
 * requests and replies are made of.
 */
@NullMarked
package io.redelay.queue.message;

import org.jspecify.annotations.NullMarked;
