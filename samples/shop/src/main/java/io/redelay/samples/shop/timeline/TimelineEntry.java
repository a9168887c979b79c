package io.redelay.samples.shop.timeline;

import java.time.Instant;

import com.fasterxml.jackson.annotation.JsonIgnore;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * A line of a customer's timeline. The ids grow in the order in which lines are written.
 */
@Table
record TimelineEntry(@Id @JsonIgnore long id, String orderId, @JsonIgnore String email, OrderEventKind kind,
		Instant happenedAt) {

}
