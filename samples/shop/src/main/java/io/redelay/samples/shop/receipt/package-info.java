/**
 * Receipts, mailed for each paid order by a mailer that fails at times.
 */
@NullMarked
package io.redelay.samples.shop.receipt;

import org.jspecify.annotations.NullMarked;
