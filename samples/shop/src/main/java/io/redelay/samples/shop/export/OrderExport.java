package io.redelay.samples.shop.export;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.MessageAdmin;
import io.redelay.queue.work.CancellationReason;
import io.redelay.queue.work.Checkpoint;
import io.redelay.queue.work.MessageDelivery;
import io.redelay.samples.shop.web.ConflictException;
import io.redelay.samples.shop.web.NotFoundException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Service;

/**
 * Writes all orders to a file, page by page.
 */
@Service
class OrderExport {

	static final String QUEUE = "order-exports";

	private static final Logger logger = LoggerFactory.getLogger(OrderExport.class);

	private final QueueOperations queues;

	private final MessageAdmin messages;

	private final ExportRepository orders;

	private final ExportFiles files;

	private final ExportProperties properties;

	OrderExport(QueueOperations queues, MessageAdmin messages, ExportRepository orders, ExportFiles files,
			ExportProperties properties) {
		this.queues = queues;
		this.messages = messages;
		this.orders = orders;
		this.files = files;
		this.properties = properties;
	}

	/**
	 * Exports the orders that there are now.
	 */
	String start() {
		String id = UUID.randomUUID().toString();
		Instant until = Instant.now().truncatedTo(ChronoUnit.MILLIS);
		this.queues.send(OutboundMessage.to(QUEUE, new ExportOrders(until)).id(id));
		return id;
	}

	/**
	 * An instance that stops gives the export back between two pages, and another one
	 * goes on there. After a crash, another one goes on where the checkpoint says, which
	 * is saved once a second: what was written since is written again, into another file.
	 * However often the database fails: an export that gets on meanwhile does not die.
	 */
	@QueueListener(queues = QUEUE, concurrency = "2", resetAttemptsOnProgress = "true")
	void write(ExportOrders request, Checkpoint<Position> checkpoint, MessageDelivery delivery)
			throws IOException, InterruptedException {
		String id = delivery.info().id();
		if (Files.exists(this.files.find(id))) {
			return; // it was finished, and this instance died before it could say so
		}
		long total = this.orders.countUntil(request.until());
		try (ExportFile file = this.files.open(id, checkpoint.get().orElse(null))) {
			logger.info("Export {} begins behind {} of {} orders", id, file.position().orders(), total);
			for (List<ExportedOrder> page = page(request, file); !page.isEmpty(); page = page(request, file)) {
				delivery.cancellation().throwIfCancelled();
				Position position = file.append(page);
				checkpoint.save(position);
				delivery.progress((double) position.orders() / total,
						"%d of %d orders".formatted(position.orders(), total));
			}
			this.files.finish(id, file);
		}
		finally {
			if (delivery.cancellation().reason() == CancellationReason.CANCELLED) {
				this.files.delete(id);
			}
		}
	}

	private List<ExportedOrder> page(ExportOrders request, ExportFile file) throws InterruptedException {
		TimeUnit.MILLISECONDS.sleep(this.properties.latency().toMillis());
		Position position = file.position();
		return this.orders.findPage(request.until(), position.createdAt(), position.id(), this.properties.pageSize());
	}

	ExportStatus find(String id) {
		return this.messages.find(QUEUE, id)
			.map(ExportStatus::of)
			.orElseThrow(() -> new NotFoundException("export", id));
	}

	Path file(String id) {
		ExportStatus status = find(id);
		Path file = this.files.find(id);
		if (!Files.exists(file)) {
			throw new ConflictException("The export '%s' has no file: it is %s".formatted(id, status.status()));
		}
		return file;
	}

	/**
	 * Cancels an export that waits or runs, and removes one that has ended.
	 */
	void cancel(String id) {
		if (!this.messages.cancel(QUEUE, id).done()) {
			throw new NotFoundException("export", id);
		}
		this.files.delete(id);
	}

	/**
	 * Asks for the orders to be exported that were placed before a time.
	 */
	record ExportOrders(Instant until) {

	}

}
