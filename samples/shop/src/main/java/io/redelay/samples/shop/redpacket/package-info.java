/**
 * Red packets: money for somebody, which goes back when nobody opens it in time.
 */
@NullMarked
package io.redelay.samples.shop.redpacket;

import org.jspecify.annotations.NullMarked;
