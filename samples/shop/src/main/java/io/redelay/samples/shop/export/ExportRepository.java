package io.redelay.samples.shop.export;

import java.time.Instant;
import java.util.List;

import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.repository.Repository;

/**
 * The orders that are exported, in the order in which they were placed. Each page begins
 * behind the last order of the one before, so it costs the same however many were before,
 * and an order that is placed meanwhile moves none.
 */
interface ExportRepository extends Repository<ExportedOrder, String> {

	@Query("select count(*) from shop_order where created_at < :until")
	long countUntil(Instant until);

	@Query("""
			select id, item, amount, email, status, created_at, paid_at, cancelled_at from shop_order
			where created_at < :until and created_at >= :createdAt and (created_at > :createdAt or id > :id)
			order by created_at, id limit :size""")
	List<ExportedOrder> findPage(Instant until, Instant createdAt, String id, int size);

}
