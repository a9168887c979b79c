package io.redelay.samples.shop.receipt;

import java.util.List;

import io.redelay.queue.admin.DeadLetterCount;
import io.redelay.queue.admin.RedriveResult;
import jakarta.validation.Valid;
import org.jspecify.annotations.Nullable;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The receipts that could not be mailed, over HTTP.
 */
@RestController
@RequestMapping("/receipts/dead")
class DeadReceiptController {

	private final DeadReceiptService dead;

	DeadReceiptController(DeadReceiptService dead) {
		this.dead = dead;
	}

	@GetMapping
	List<Receipt> find() {
		return this.dead.find();
	}

	@GetMapping("/causes")
	List<DeadLetterCount> causes() {
		return this.dead.causes();
	}

	@PostMapping("/redrive")
	RedriveResult redrive(@Valid @RequestBody(required = false) @Nullable RedriveReceipts request) {
		return this.dead.redrive((request != null) ? request : RedriveReceipts.ALL);
	}

}
