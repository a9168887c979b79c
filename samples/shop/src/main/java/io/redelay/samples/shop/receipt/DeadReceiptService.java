package io.redelay.samples.shop.receipt;

import java.util.List;

import io.redelay.queue.admin.DeadLetterAdmin;
import io.redelay.queue.admin.DeadLetterCount;
import io.redelay.queue.admin.DeadLetterFilter;
import io.redelay.queue.admin.QueuePage;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.RedriveResult;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Lists which receipts could not be mailed, and has them mailed again.
 */
@Service
class DeadReceiptService {

	private static final int PAGE_SIZE = 500;

	private final ReceiptRepository receipts;

	private final DeadLetterAdmin deadLetters;

	DeadReceiptService(ReceiptRepository receipts, DeadLetterAdmin deadLetters) {
		this.receipts = receipts;
		this.deadLetters = deadLetters;
	}

	List<Receipt> find() {
		return this.receipts.findByStatusOrderByCreatedAt(Receipt.Status.DEAD);
	}

	List<DeadLetterCount> causes() {
		return this.deadLetters.counts(ReceiptMailing.QUEUE);
	}

	/**
	 * The receipts are pending again from the commit on, which comes after the redrive:
	 * if that fails, they stay dead; and until then, neither does the safety net see them
	 * nor can a handler that has one already say what became of it.
	 */
	@Transactional
	RedriveResult redrive(RedriveReceipts request) {
		DeadLetterFilter filter = request.filter();
		markPending(filter);
		return (request.perSecond() != null)
				? this.deadLetters.redrive(ReceiptMailing.QUEUE, filter, request.perSecond())
				: this.deadLetters.redrive(ReceiptMailing.QUEUE, filter);
	}

	private void markPending(DeadLetterFilter filter) {
		QueuePage page;
		int number = 0;
		do {
			page = this.deadLetters.browse(ReceiptMailing.QUEUE, filter, number++, PAGE_SIZE);
			if (!page.messages().isEmpty()) {
				this.receipts.revive(page.messages().stream().map(QueuedMessage::id).toList());
			}
		}
		while (page.hasNext());
	}

}
