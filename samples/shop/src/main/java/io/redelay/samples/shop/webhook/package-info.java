/**
 * Calls of the merchants' servers, one for each payment and no more than they can take.
 */
@NullMarked
package io.redelay.samples.shop.webhook;

import org.jspecify.annotations.NullMarked;
