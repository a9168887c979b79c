/**
 * A mail server that fails at times.
 */
@NullMarked
package io.redelay.samples.shop.mail;

import org.jspecify.annotations.NullMarked;
