package io.redelay.samples.shop.stock;

import java.util.Optional;

import org.springframework.data.jdbc.repository.query.Modifying;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.repository.Repository;

/**
 * What is in stock. The database adds, so no two deliveries overwrite each other.
 */
interface StockRepository extends Repository<StockItem, String> {

	Optional<StockItem> findById(String item);

	@Modifying
	@Query("insert into stock_item (item, quantity) values (:item, :quantity)")
	void insert(String item, long quantity);

	@Modifying
	@Query("update stock_item set quantity = quantity + :quantity where item = :item")
	boolean add(String item, long quantity);

}
