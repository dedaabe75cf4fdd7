(async () => {
  try {
    const element = document.getElementById("firstfault-program");
    const text = element.textContent;
    element.remove();
    const value = (at) => text.charCodeAt(at) - (text.charCodeAt(at) > 60 ? 33 : 32);
    const packed = new Uint8Array(Math.ceil(text.length * 0.875));
    let held = 0, bits = 0, length = 0;
    for (let at = 0; at < text.length; at += 2) {
      const number = value(at) + value(at + 1) * 94;
      held |= number << bits;
      bits += (number & 8191) > 643 ? 13 : 14;
      for (; bits > 7; bits -= 8, held >>>= 8) packed[length++] = held;
    }
    const size = Number(element.dataset.bytes);
    const plain = new Blob([packed.subarray(0, size)]).stream().pipeThrough(new DecompressionStream("gzip"));
    const buffer = await new Response(plain).arrayBuffer();
    const start = 4 + new DataView(buffer).getUint32(0, true);
    const style = document.createElement("style");
    style.textContent = new TextDecoder().decode(new Uint8Array(buffer, 4, start - 4));
    document.head.append(style);
    await wasm_bindgen({ module_or_path: new Uint8Array(buffer, start) });
    performance.mark("firstfault-ready");
  } catch (error) {
    console.error(error);
    document.getElementById("trouble").hidden = false;
  }
})();
