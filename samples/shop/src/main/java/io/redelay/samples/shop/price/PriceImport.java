package io.redelay.samples.shop.price;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.bundle.BundleCallback;
import io.redelay.queue.bundle.BundleSummary;
import io.redelay.queue.bundle.MessageBundles;
import io.redelay.samples.shop.mail.Mailer;
import io.redelay.samples.shop.web.NotFoundException;

import org.springframework.messaging.handler.annotation.Header;
import org.springframework.stereotype.Service;

/**
 * Imports lists of prices, each line by itself, and mails when the last line is done.
 */
@Service
class PriceImport {

	static final String QUEUE = "prices";

	static final String DONE = "price-imports";

	private final MessageBundles bundles;

	private final PriceRepository prices;

	private final ImportRepository imports;

	private final Mailer mailer;

	PriceImport(MessageBundles bundles, PriceRepository prices, ImportRepository imports, Mailer mailer) {
		this.bundles = bundles;
		this.prices = prices;
		this.imports = imports;
		this.mailer = mailer;
	}

	/**
	 * Sends the lines, and knows when all have ended.
	 * @return the id of the import
	 */
	String start(String email, List<String> lines) {
		String id = UUID.randomUUID().toString();
		this.bundles.send(BundleCallback.to(DONE).id(id).header("email", email),
				lines.stream().map((line) -> OutboundMessage.to(QUEUE, new Line(line))).toList());
		return id;
	}

	/**
	 * Setting a price twice does no harm. A line that says nothing is dead at once.
	 */
	@QueueListener(queues = QUEUE, concurrency = "8")
	void set(Line line) {
		String[] fields = line.text().split(",");
		BigDecimal amount = (fields.length == 2) ? amount(fields[1].strip()) : BigDecimal.ZERO;
		if (amount.signum() <= 0) {
			throw new RejectMessageException("No 'item,price': " + line.text());
		}
		if (!this.prices.set(fields[0].strip(), amount)) {
			// If two are the first, one of them fails here and is delivered again.
			this.prices.insert(fields[0].strip(), amount);
		}
	}

	private static BigDecimal amount(String text) {
		try {
			return new BigDecimal(text);
		}
		catch (NumberFormatException ex) {
			return BigDecimal.ZERO;
		}
	}

	/**
	 * Mails, and tries again when that fails. The row comes last, so an import that has
	 * one was mailed.
	 */
	@QueueListener(DONE)
	void done(BundleSummary summary, @Header("email") String email) {
		if (this.imports.findById(summary.id()).isEmpty()) {
			this.mailer.send(email, summary.acknowledged() + " of " + summary.total() + " prices are imported; failed: "
					+ summary.deaths().stream().map((death) -> death.message()).toList());
			this.imports.insert(summary.id(), summary.total(), summary.acknowledged(), summary.dead(),
					Instant.now().truncatedTo(ChronoUnit.MILLIS));
		}
	}

	ImportResult find(String id) {
		return this.imports.findById(id).orElseThrow(() -> new NotFoundException("result of the import", id));
	}

	/**
	 * A line of a list.
	 */
	record Line(String text) {

	}

}
