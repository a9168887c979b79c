package io.redelay.docs.recipes;

import java.net.URI;

import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;

import org.springframework.stereotype.Component;

@Component
class Scans {

	private final FileStore files;

	private final QueueOperations queues;

	Scans(FileStore files, QueueOperations queues) {
		this.files = files;
		this.queues = queues;
	}

	void upload(String customer, byte[] pdf) {
		URI place = this.files.put(pdf);
		this.queues.send("scans", new Scan(customer, place));
	}

	@QueueListener("scans")
	void read(Scan scan) {
		byte[] pdf = this.files.get(scan.place());
		this.queues.send("scan-results", scan.customer() + ": " + pdf.length + " bytes");
	}

	record Scan(String customer, URI place) {
	}

}
