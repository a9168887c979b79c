package io.redelay.samples.shop.receipt;

import java.time.Instant;

import io.redelay.samples.shop.web.ConflictException;
import io.redelay.samples.shop.web.NotFoundException;

import org.springframework.data.jdbc.core.JdbcAggregateOperations;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * Has receipts mailed, and reports what became of them.
 */
@Service
public class ReceiptService {

	private final JdbcAggregateOperations aggregates;

	private final ReceiptRepository receipts;

	private final ReceiptMailing mailing;

	ReceiptService(JdbcAggregateOperations aggregates, ReceiptRepository receipts, ReceiptMailing mailing) {
		this.aggregates = aggregates;
		this.receipts = receipts;
		this.mailing = mailing;
	}

	/**
	 * To be called in the transaction that marks the order as paid.
	 */
	@Transactional(propagation = Propagation.MANDATORY)
	public void request(String orderId, String email) {
		this.aggregates.insert(Receipt.of(orderId, email, Instant.now()));
		this.mailing.start(orderId);
	}

	Receipt find(String orderId) {
		return this.receipts.findById(orderId).orElseThrow(() -> new NotFoundException("receipt for order", orderId));
	}

	@Transactional
	Receipt correct(String orderId, String email) {
		boolean corrected = this.receipts.correct(orderId, email);
		Receipt receipt = find(orderId);
		if (!corrected) {
			throw new ConflictException("The receipt for order '%s' is sent already".formatted(orderId));
		}
		return receipt;
	}

}
