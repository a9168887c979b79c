package io.redelay.samples.shop.report;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.Optional;

import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.repository.Repository;

/**
 * The reports, and what they are made of.
 */
interface ReportRepository extends Repository<Report, Instant> {

	boolean existsById(Instant until);

	Optional<Report> findFirstByOrderByWrittenAtDesc();

	@Query("select count(*) from shop_order where created_at >= :from and created_at < :until")
	int countPlaced(Instant from, Instant until);

	@Query("select count(*) from shop_order where paid_at >= :from and paid_at < :until")
	int countPaid(Instant from, Instant until);

	@Query("select coalesce(sum(amount), 0) from shop_order where paid_at >= :from and paid_at < :until")
	BigDecimal sumPaid(Instant from, Instant until);

}
