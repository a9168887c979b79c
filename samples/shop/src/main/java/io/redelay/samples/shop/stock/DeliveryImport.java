package io.redelay.samples.shop.stock;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.samples.shop.web.NotFoundException;

import org.springframework.stereotype.Service;

/**
 * Adds deliveries to the stock, each line of a delivery note once, however often the note
 * is sent: to add is nothing that may be done twice.
 */
@Service
class DeliveryImport {

	static final String QUEUE = "deliveries";

	private final QueueOperations queues;

	private final StockRepository stock;

	DeliveryImport(QueueOperations queues, StockRepository stock) {
		this.queues = queues;
		this.stock = stock;
	}

	/**
	 * Sends all lines or none; who does not hear that they were sent, sends them again.
	 */
	void start(ImportDelivery delivery) {
		this.queues.sendAll(delivery.lines()
			.stream()
			.map((line) -> OutboundMessage.to(QUEUE, new AddToStock(delivery.note(), line.item(), line.quantity())))
			.toList());
	}

	/**
	 * Runs to its end once for a line of a note, over all instances: the same line that
	 * comes meanwhile waits, and is done when this one is. It runs again after it failed
	 * and, as no two databases commit together, after a crash between the commit here and
	 * the note in Redis. Where that matters, a unique row in the same transaction says
	 * that it is done.
	 */
	@QueueListener(queues = QUEUE, concurrency = "8", idempotencyKey = "#{payload.note}/#{payload.item}",
			idempotencyWindow = "${shop.stock.remember-for}")
	void add(AddToStock line) {
		if (!this.stock.add(line.item(), line.quantity())) {
			// If two are the first, one of them fails here and is delivered again.
			this.stock.insert(line.item(), line.quantity());
		}
	}

	StockItem find(String item) {
		return this.stock.findById(item).orElseThrow(() -> new NotFoundException("stock of", item));
	}

	/**
	 * A line of a delivery note.
	 */
	record AddToStock(String note, String item, int quantity) {

	}

}
