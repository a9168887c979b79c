package io.redelay.samples.shop.receipt;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.springframework.data.jdbc.repository.query.Modifying;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.repository.Repository;

/**
 * The receipts.
 */
interface ReceiptRepository extends Repository<Receipt, String> {

	Optional<Receipt> findById(String orderId);

	List<Receipt> findByStatusOrderByCreatedAt(Receipt.Status status);

	@Modifying
	@Query("update receipt set status = 'SENT', reason = null, sent_at = :now where order_id = :orderId")
	void sent(String orderId, Instant now);

	@Modifying
	@Query("update receipt set status = :status, failures = failures + 1, reason = :reason where order_id = :orderId")
	void failed(String orderId, Receipt.Status status, String reason);

	@Modifying
	@Query("update receipt set email = :email where order_id = :orderId and status <> 'SENT'")
	boolean correct(String orderId, String email);

	@Modifying
	@Query("update receipt set status = 'PENDING' where order_id in (:orderIds) and status = 'DEAD'")
	void revive(List<String> orderIds);

	@Query("select order_id from receipt where status = 'PENDING' and created_at < :time order by created_at limit 1000")
	List<String> findPendingCreatedAt(Instant time);

}
