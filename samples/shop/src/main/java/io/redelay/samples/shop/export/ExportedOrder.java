package io.redelay.samples.shop.export;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * An order, as a line of an export.
 */
@Table("shop_order")
record ExportedOrder(@Id String id, String item, BigDecimal amount, String email, String status, Instant createdAt,
		@Nullable Instant paidAt, @Nullable Instant cancelledAt) {

	static final String HEADING = "id,item,amount,email,status,createdAt,paidAt,cancelledAt\n";

	String toCsv() {
		return Stream
			.of(this.id, this.item, this.amount, this.email, this.status, this.createdAt, text(this.paidAt),
					text(this.cancelledAt))
			.map((field) -> quote(field.toString()))
			.collect(Collectors.joining(",", "", "\n"));
	}

	private static String text(@Nullable Instant time) {
		return (time != null) ? time.toString() : "";
	}

	private static String quote(String field) {
		boolean plain = field.chars().noneMatch((c) -> c == ',' || c == '"' || c == '\n' || c == '\r');
		return plain ? field : '"' + field.replace("\"", "\"\"") + '"';
	}

}
