package io.redelay.samples.shop.timeline;

import java.util.List;

import org.springframework.data.jdbc.repository.query.Modifying;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.repository.Repository;

/**
 * The lines of all timelines.
 */
interface TimelineRepository extends Repository<TimelineEntry, Long> {

	boolean existsByOrderIdAndKind(String orderId, OrderEventKind kind);

	List<TimelineEntry> findByEmailOrderById(String email);

	@Modifying
	@Query("""
			insert into timeline_entry (order_id, email, kind, happened_at)
			values (:#{#event.orderId}, :#{#event.email}, :#{#event.kind.name()}, :#{#event.happenedAt})
			""")
	void insert(OrderEvent event);

}
