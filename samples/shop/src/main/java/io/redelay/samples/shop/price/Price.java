package io.redelay.samples.shop.price;

import java.math.BigDecimal;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * What an item costs.
 */
@Table
record Price(@Id String item, BigDecimal amount) {

}
