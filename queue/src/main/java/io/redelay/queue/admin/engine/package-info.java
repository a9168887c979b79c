/**
 * Carries out what {@link io.redelay.queue.admin.QueueAdmin} offers, with
 * {@link io.redelay.queue.script.admin.AdminScripts}: this package acts on whole queues
 * and topics, such as counts, expiry and diagnosis; the rest is in the packages below.
 */
@NullMarked
package io.redelay.queue.admin.engine;

import org.jspecify.annotations.NullMarked;
