/** Gives the memory behind bytes back at once, and the bytes are gone. For what is large: the collector is in no hurry. */
export function release({ buffer }: ArrayBufferView<ArrayBuffer>): void {
  buffer.transfer(0);
}
