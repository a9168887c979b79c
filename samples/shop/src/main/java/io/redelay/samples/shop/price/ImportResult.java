package io.redelay.samples.shop.price;

import java.time.Instant;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * What became of an import.
 */
@Table
record ImportResult(@Id String id, int lines, int imported, int failed, Instant endedAt) {

}
