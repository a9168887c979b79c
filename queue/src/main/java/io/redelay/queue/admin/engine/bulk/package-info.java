/**
 * Jobs that act on many messages of a queue, in steps that another instance can continue.
 */
@NullMarked
package io.redelay.queue.admin.engine.bulk;

import org.jspecify.annotations.NullMarked;
