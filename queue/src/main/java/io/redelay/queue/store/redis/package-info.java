/**
 * The store on Redis: scripts, keys, requests that are sent again, and wake-ups.
 */
@NullMarked
package io.redelay.queue.store.redis;

import org.jspecify.annotations.NullMarked;
