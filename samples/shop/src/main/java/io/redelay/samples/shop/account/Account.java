package io.redelay.samples.shop.account;

import java.math.BigDecimal;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * Somebody's money.
 */
@Table
record Account(@Id String name, BigDecimal balance) {

	/**
	 * Every account begins with a present of the house.
	 */
	static Account opened(String name) {
		return new Account(name, new BigDecimal("1000.00"));
	}

}
