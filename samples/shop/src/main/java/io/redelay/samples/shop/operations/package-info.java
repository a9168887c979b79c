/**
 * Who may look at the queues of the shop and steer them.
 */
@NullMarked
package io.redelay.samples.shop.operations;

import org.jspecify.annotations.NullMarked;
