/**
 * A shop whose unpaid orders are cancelled when their time is up.
 */
@NullMarked
package io.redelay.samples.shop;

import org.jspecify.annotations.NullMarked;
