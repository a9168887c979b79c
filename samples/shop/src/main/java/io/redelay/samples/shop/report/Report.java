package io.redelay.samples.shop.report;

import java.math.BigDecimal;
import java.time.Instant;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * What was sold in the 24 hours before a time.
 */
@Table
record Report(@Id Instant until, int placed, int paid, BigDecimal revenue, Instant writtenAt) {

}
