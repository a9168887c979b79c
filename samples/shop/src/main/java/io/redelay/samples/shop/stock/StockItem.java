package io.redelay.samples.shop.stock;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * How many there are of something.
 */
@Table
record StockItem(@Id String item, long quantity) {

}
