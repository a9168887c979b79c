/**
 * Where messages are kept: the store, its requests and lanes, and its implementation on
 * Redis.
 */
@NullMarked
package io.redelay.queue.store;

import org.jspecify.annotations.NullMarked;
