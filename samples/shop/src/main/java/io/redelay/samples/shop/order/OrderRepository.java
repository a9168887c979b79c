package io.redelay.samples.shop.order;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.springframework.data.jdbc.repository.query.Modifying;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.repository.Repository;

/**
 * The orders. Paying and cancelling race: the first update of a pending order wins, and
 * the other one sees that it changed nothing.
 */
interface OrderRepository extends Repository<ShopOrder, String> {

	Optional<ShopOrder> findById(String id);

	@Modifying
	@Query("update shop_order set status = 'PAID', paid_at = :now where id = :id and status = 'PENDING'")
	boolean pay(String id, Instant now);

	@Modifying
	@Query("update shop_order set status = 'CANCELLED', cancelled_at = :now where id = :id and status = 'PENDING'")
	boolean cancel(String id, Instant now);

	@Modifying
	@Query("update shop_order set reminded_at = :now where id = :id")
	void reminded(String id, Instant now);

	@Query("select id from shop_order where status = 'PENDING' and pay_by < :time order by pay_by limit 1000")
	List<String> findPendingPayBy(Instant time);

}
