/**
 * Receipts, mailed for each paid order and what becomes of those that cannot be.
 */
@NullMarked
package io.redelay.samples.shop.receipt;

import org.jspecify.annotations.NullMarked;
