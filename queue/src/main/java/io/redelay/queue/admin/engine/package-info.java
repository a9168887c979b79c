/**
 * Carries out what {@link io.redelay.queue.admin.QueueAdmin} offers, on a
 * {@link io.redelay.queue.store.QueueAdminStore}: this package acts on whole queues and
 * topics, such as counts, expiry and diagnosis; the rest is in the packages below.
 */
@NullMarked
package io.redelay.queue.admin.engine;

import org.jspecify.annotations.NullMarked;
