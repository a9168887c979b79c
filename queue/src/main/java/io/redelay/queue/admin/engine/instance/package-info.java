/**
 * What instances of applications tell of themselves in Redis, and reads it: listeners,
 * consumers, running handlers and locks.
 */
@NullMarked
package io.redelay.queue.admin.engine.instance;

import org.jspecify.annotations.NullMarked;
