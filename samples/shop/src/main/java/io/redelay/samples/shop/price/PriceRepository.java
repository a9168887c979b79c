package io.redelay.samples.shop.price;

import java.math.BigDecimal;

import org.springframework.data.jdbc.repository.query.Modifying;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.repository.Repository;

/**
 * What items cost.
 */
interface PriceRepository extends Repository<Price, String> {

	@Modifying
	@Query("insert into price (item, amount) values (:item, :amount)")
	void insert(String item, BigDecimal amount);

	@Modifying
	@Query("update price set amount = :amount where item = :item")
	boolean set(String item, BigDecimal amount);

}
